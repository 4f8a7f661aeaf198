import { readFile, writeFile } from 'node:fs/promises';
import { isMap, isSeq, parseDocument } from 'yaml';

/** What an identity provider renews. */
export const TOKEN_FIELDS = ['id-token', 'refresh-token'] as const;

/** Identity providers may allow each refresh token once: unless the new one is kept, kubectl is logged out. */
export async function saveTokens(
  file: string,
  userName: string,
  config: Readonly<Record<string, string>>,
): Promise<void> {
  const document = parseDocument(await readFile(file, 'utf8'), { uniqueKeys: false });
  const users = document.get('users');
  if (!isSeq(users)) return;
  const index = users.items.findIndex((item) => isMap(item) && item.get('name') === userName);
  if (index < 0) return;
  for (const field of TOKEN_FIELDS) {
    const value = config[field];
    if (value) document.setIn(['users', index, 'user', 'auth-provider', 'config', field], value);
  }
  await writeFile(file, document.toString({ lineWidth: 0, indentSeq: false, flowCollectionPadding: false }));
}
