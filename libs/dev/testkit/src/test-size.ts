/** How much a test does: the number in an environment variable, `usual` without it; throws a RangeError for no number. */
export function testSize(name: string, usual: number): number {
  // eslint-disable-next-line no-restricted-properties -- a test switch, not configuration of the program
  const size = Number(process.env[name] ?? usual);
  if (Number.isSafeInteger(size) && size > 0) return size;
  throw new RangeError(`${name} is a positive integer`);
}
