/**
 * The size of a test: the number in an environment variable, by default `usual`; throws a RangeError if it is not a
 * number.
 */
export function testSize(name: string, usual: number): number {
  // eslint-disable-next-line no-restricted-properties -- a test switch, not configuration of the program
  const size = Number(process.env[name] ?? usual);
  if (Number.isSafeInteger(size) && size > 0) return size;
  throw new RangeError(`${name} is a positive integer`);
}
