import { readFileSync } from 'node:fs';
import path from 'node:path';
import { renderRecorded } from '../proofs/chaos/fault-report';
import { readRecorded } from '../proofs/chaos/recorded';
import { replaceSection } from './marked-section';

export const OPERATIONS_PAGE = 'docs/operations.md';

/** Paths of the gateway's public listener that a proxy forwards: a single one, those below it, or both. */
export interface PublicPath {
  readonly at: string;
  readonly path: string;
  readonly isAddress: boolean;
  readonly isFolder: boolean;
  /** Only if `PUBLIC_WALLET_CONTENT` is not `false`. */
  readonly isContent: boolean;
}

export type DescribePublicPaths = () => readonly PublicPath[];

const PLACES: Readonly<Record<string, string>> = {
  base: 'below the path of `BASE_URL`',
  issuer: 'below the path of `ISSUER_URL`',
  'schema-prefix': 'below the path of `BASE_URL` and `SCHEMA_API_PREFIX`',
  host: 'at the root of the host',
  'well-known': 'at the root of the host, with the path of `ISSUER_URL` after the name and before `{issuer}`',
};

function placeOf({ at, isContent }: PublicPath): string {
  const place = PLACES[at];
  if (place === undefined) throw new TypeError(`no words for the place ${at}`);
  return isContent ? `${place}, unless \`PUBLIC_WALLET_CONTENT\` is \`false\`` : place;
}

function pathsOf({ path: address, isAddress, isFolder }: PublicPath): string[] {
  const named = address.replaceAll(/:(\w+)/g, '{$1}');
  return [...(isAddress ? [named] : []), ...(isFolder ? [`${named}/*`] : [])].map((one) => `\`${one}\``);
}

/**
 * The page with the list of the paths that a proxy forwards and the measurements of `npm run chaos`, before formatting.
 */
export function operationsPage(root: string, describe: DescribePublicPaths): string {
  const page = readFileSync(path.join(root, OPERATIONS_PAGE), 'utf8');
  const all = describe();
  const places = [...new Set(all.map(placeOf))].map((place) => {
    return `- ${place}: ${all
      .filter((one) => placeOf(one) === place)
      .flatMap(pathsOf)
      .join(', ')}`;
  });
  const withPaths = replaceSection(page, 'public paths', places.join('\n'));
  return replaceSection(withPaths, 'npm run chaos', renderRecorded(readRecorded(root)));
}
