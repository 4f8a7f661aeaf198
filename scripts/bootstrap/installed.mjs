/**
 * Whether what npm noted down when it last installed is what the lockfile asks for. Optional packages may be absent:
 * most are for other platforms.
 *
 * @param {string} lockfile text of package-lock.json
 * @param {string | undefined} installed text of node_modules/.package-lock.json, which npm writes last
 * @returns {boolean}
 */
export function isInstalled(lockfile, installed) {
  if (installed === undefined) return false;
  const present = JSON.parse(installed).packages;
  return Object.entries(JSON.parse(lockfile).packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = present[path];
    if (!found) return wanted.optional === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}
