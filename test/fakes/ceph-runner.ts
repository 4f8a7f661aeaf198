import { CephSilent, type CephCommand, type CephRunner, type Finished } from '#pkg/ceph';

/** An answer as JSON, a whole outcome, or silence. */
export type Reply = Finished | 'silence' | { readonly json: unknown };

export interface FakeRunner extends CephRunner {
  /** The commands so far, as one would type them, without the format. */
  readonly asked: readonly string[];
}

/** Answers commands by their beginning, the longest first; what it does not know fails as an unknown command does. */
export function fakeRunner(replies: Readonly<Record<string, Reply>>): FakeRunner {
  const asked: string[] = [];
  return {
    asked,
    run: (command) => {
      const line = lineOf(command);
      asked.push(line);
      const known = Object.keys(replies)
        .filter((start) => line === start || line.startsWith(`${start} `))
        .sort((a, b) => b.length - a.length)[0];
      const reply = known === undefined ? undefined : replies[known];
      if (reply === 'silence') return Promise.reject(new CephSilent(`"${line}" had no answer`));
      if (reply === undefined)
        return Promise.resolve({ code: 22, stdout: '', stderr: 'Error EINVAL: invalid command' });
      return Promise.resolve(
        'json' in reply ? { code: 0, stdout: `\n${JSON.stringify(reply.json)}\n`, stderr: '' } : reply,
      );
    },
  };
}

function lineOf({ program, args }: CephCommand): string {
  return [program, ...args].join(' ').replace(/ --format json$/, '');
}
