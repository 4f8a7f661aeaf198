import { RGW_NAME, type OsdPlace } from './layout.ts';
import { output } from '../controlplane/index.ts';

/**
 * One keyring with the key of every daemon: the monitor imports them when it is made, and nobody needs to ask it for
 * one later.
 */
export async function makeKeyring(osds: readonly OsdPlace[], signal: AbortSignal): Promise<string> {
  const everything = { mon: 'allow *', osd: 'allow *', mds: 'allow *', mgr: 'allow *' };
  const users: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'mon.': { mon: 'allow *' },
    'client.admin': everything,
    'mgr.x': { mon: 'allow profile mgr', osd: 'allow *', mds: 'allow *' },
    'mds.a': { mon: 'allow profile mds', osd: 'allow *', mds: 'allow *', mgr: 'allow profile mds' },
    [RGW_NAME]: { mon: 'allow rw', osd: 'allow rwx', mgr: 'allow rw' },
    ...Object.fromEntries(
      osds.map((_, id) => [
        `osd.${id}`,
        { mon: 'allow profile osd', mgr: 'allow profile osd', osd: 'allow *' },
      ]),
    ),
  };
  const sections = await Promise.all(
    Object.entries(users).map(async ([user, caps]) => {
      const key = (await output('ceph-authtool', ['--gen-print-key'], {}, signal)).trim();
      const lines = Object.entries(caps).map(([daemon, cap]) => `\tcaps ${daemon} = "${cap}"`);
      return [`[${user}]`, `\tkey = ${key}`, ...lines, ''].join('\n');
    }),
  );
  return sections.join('');
}
