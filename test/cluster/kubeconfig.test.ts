import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, loadKubeconfig, type ConnectionFlags } from '#pkg/kube';
import { recordAt, UserError } from '#pkg/object';
import { controlPlane, describeOnCluster } from './control-plane.ts';
import { credential, NAMESPACES, SITUATIONS, type Situation } from './kubeconfig-situations.ts';

describeOnCluster('a kubeconfig means what it means to kubectl', () => {
  let root = '';

  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'kubeconfig-'));
  });
  afterAll(() => rm(root, { recursive: true }));

  test.for(SITUATIONS)('$name', async (situation) => {
    const prepared = await prepare(situation, await mkdtemp(path.join(root, 'case-')));
    const [theirs, ours] = await Promise.all([askKubectl(prepared), askOurselves(prepared)]);
    expect(ours).toEqual(theirs);
  });

  test.for(NAMESPACES)('the namespace is that $name', async (situation) => {
    const prepared = await prepare(situation, await mkdtemp(path.join(root, 'case-')));
    const { stderr } = await runKubectl(['get', 'configmaps'], prepared);
    const [, theirs] = /No resources found in (\S+) namespace/.exec(stderr) ?? [];
    expect(loadKubeconfig(prepared.flags, prepared.env, prepared.home).namespace).toBe(theirs);
  });
});

interface Prepared {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly flags: ConnectionFlags;
}

async function prepare({ files = {}, env = {}, flags = {} }: Situation, folder: string): Promise<Prepared> {
  const { server, adminToken, ca } = controlPlane();
  const filled = (text: string): string =>
    text
      .replaceAll('SERVER', server)
      .replaceAll('TOKEN', adminToken)
      .replaceAll(/\bCA\b/g, Buffer.from(ca).toString('base64'));
  const placed = (text: string): string => filled(text).replaceAll('@/', `${folder}/`);
  const plugin = `#!/bin/sh\n${credential('{\\"token\\":\\"$T\\"}').replace('/v1', '/v1beta1')}\n`;
  const all = { 'pki/ca.crt': ca, token: `${adminToken}\n`, 'plugin.sh': plugin };
  for (const [name, content] of Object.entries({ ...all, ...files })) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, name in all ? content : filled(content));
  }
  await chmod(path.join(folder, 'plugin.sh'), 0o755);
  const placedFlags = Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [name, typeof value === 'string' ? placed(value) : value]),
  );
  const placedEnv = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, placed(value)]));
  return {
    home: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...placedEnv },
    flags: placedFlags,
  };
}

/** Who the server takes us for, or the one line that is printed instead. */
type Answer = Readonly<Record<string, unknown>> | string;

async function askKubectl(prepared: Prepared): Promise<Answer> {
  const { stdout, stderr } = await runKubectl(['auth', 'whoami', '-o', 'json'], prepared);
  return stdout === '' ? oneLine(stderr) : recordAt(JSON.parse(stdout), 'status', 'userInfo');
}

async function askOurselves({ flags, env, home }: Prepared): Promise<Answer> {
  try {
    const transport = await connect(loadKubeconfig(flags, env, home), {
      userAgent: 'test',
      onWarning: () => undefined,
    });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const signal = AbortSignal.timeout(30_000);
    const answer = await transport.request({ method: 'POST', path, body: JSON.stringify(review) }, signal);
    transport.close();
    if (answer.status === 201) return recordAt(JSON.parse(answer.body), 'status', 'userInfo');
    // The same words as for any read that is refused.
    await transport.getJson(path, {}, signal);
    return 'no error';
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

function runKubectl(
  args: readonly string[],
  { flags, env }: Prepared,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      controlPlane().kubectl,
      [...args, ...kubectlFlags(flags)],
      { env: { ...env }, timeout: 50_000 },
      (_, stdout, stderr) => resolve({ stdout, stderr }),
    );
    child.stdin?.end();
  });
}

function kubectlFlags(flags: ConnectionFlags): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]: [string, unknown]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return [value].flat().map((each) => `${flag}=${String(each)}`);
  });
}

/** Without log lines; kubectl puts several problems on a line each, we on one. */
function oneLine(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line !== '' && !/^[EWI]\d{4} /.test(line));
  const [first = '', ...rest] = lines;
  return first + rest.map((line) => line.replace(/^\* /, '')).join('; ');
}
