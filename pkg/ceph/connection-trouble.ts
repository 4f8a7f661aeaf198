import { CephSilent, commandLine, type CephCommand, type Finished } from './runner.ts';

/** What the programs say when they did not get as far as to ask. */
const NO_CONNECTION =
  /error calling conf_read_file|error connecting to the cluster|couldn't connect to (the )?cluster|timed out|unable to get monitor info|global_init: unable to open config file|couldn't init storage provider|failed to fetch mon config|no keyring found|did not load config file|conf_read_file/i;

/** The answer, unless the program never reached the cluster: that is silence, and not a refusal. */
export function reached(command: CephCommand, finished: Finished): Finished {
  if (finished.code === 0 || !NO_CONNECTION.test(finished.stderr)) return finished;
  throw new CephSilent(`"${commandLine(command)}": ${lastWords(finished.stderr)}`);
}

/** The last line that says something; what comes before is mostly time stamps and warnings. */
export function lastWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? 'it gave no reason';
}
