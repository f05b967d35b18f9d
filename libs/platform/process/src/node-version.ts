/**
 * The lowest versions of Node that hash the text of a number with a secret seed (CVE-2026-21717). Below them a body of
 * two megabytes, chosen for it, holds `JSON.parse` for minutes. Every later major has the seed from its first version on.
 */
export const NODE_FLOORS = ['20.20.2', '22.22.2', '24.14.1', '25.8.2'] as const;

const numbersOf = (version: string): readonly number[] =>
  /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];

function isAtLeast(version: readonly number[], floor: readonly number[]): boolean {
  const at = floor.findIndex((part, index) => part !== version[index]);
  return at === -1 || (version[at] ?? -1) > (floor[at] ?? 0);
}

/** May this version of Node (`process.version`) run a service? It is at or above the floor of its major, or of a later major. */
export function isSafeNode(version: string): boolean {
  const given = numbersOf(version);
  const [major = 0] = given;
  const floors = NODE_FLOORS.map(numbersOf);
  const own = floors.find(([floorMajor]) => floorMajor === major);
  if (own) return isAtLeast(given, own);
  return major > Math.max(...floors.map(([floorMajor = 0]) => floorMajor));
}
