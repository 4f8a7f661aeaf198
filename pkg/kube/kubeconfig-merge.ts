import { statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '#pkg/object';
import { errorCode, fileFailure } from './file-failure.ts';
import { readKubeconfigFile, type Entry, type Kubeconfig } from './kubeconfig-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The kubeconfig in force: `--kubeconfig`, else the files of `$KUBECONFIG`, else the one in the home directory. */
export function mergedKubeconfig(
  explicit: string | undefined,
  env: Environment,
  homeDir: string,
): Kubeconfig {
  return merge(readAll(explicit ? [explicitFile(explicit)] : defaultFiles(env, homeDir)));
}

function explicitFile(file: string): string {
  try {
    statSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      throw new UserError(`error: ${fileFailure(error, file, 'stat')}`, { cause: error });
  }
  return file;
}

function defaultFiles(env: Environment, homeDir: string): readonly string[] {
  const list = env['KUBECONFIG'];
  if (!list) return [path.join(homeDir, '.kube', 'config')];
  return [...new Set(list.split(path.delimiter))].filter((file) => file !== '');
}

/** Missing files are passed over, broken ones are all reported. */
function readAll(files: readonly string[]): readonly Kubeconfig[] {
  const found: Kubeconfig[] = [];
  const failures: string[] = [];
  for (const file of files) {
    try {
      const config = readKubeconfigFile(file);
      if (config) found.push(config);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      failures.push(error.message);
    }
  }
  if (failures.length > 0) throw new UserError(`error: ${failures.join('; ')}`);
  return found;
}

/** The first file that defines a name, or sets the current context, wins it whole. */
function merge(configs: readonly Kubeconfig[]): Kubeconfig {
  const collect = (pick: (config: Kubeconfig) => ReadonlyMap<string, Entry>): ReadonlyMap<string, Entry> =>
    new Map(configs.toReversed().flatMap((config) => [...pick(config)]));
  return {
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    contexts: collect(({ contexts }) => contexts),
    clusters: collect(({ clusters }) => clusters),
    users: collect(({ users }) => users),
  };
}
