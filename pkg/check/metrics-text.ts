/** All values of a metric in what a program shows to Prometheus. */
export function samples(text: string, name: string): readonly number[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
    .filter((value) => Number.isFinite(value));
}
