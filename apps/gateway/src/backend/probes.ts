import { Reflector } from '@nestjs/core';
import { declared, type RouteTable } from '../http/routes';

/** A controller for probes, which carry neither keys nor certificates, and read nothing that these would protect. */
export const ForProbes = Reflector.createDecorator<true>({ transform: () => true });

const PROBED = '[a-z]+';

/** Is this the address of a probe? Also of one that does not exist, so that only what is below is asked for a key. */
export function probeAddresses(table: RouteTable): (url: string) => boolean {
  const folders = table.all
    .filter((route) => declared(ForProbes, route) === true)
    .map(({ path }) => path.slice(0, path.lastIndexOf('/')));
  const patterns = [...new Set(folders)].map((folder) => new RegExp(`^${folder}/${PROBED}$`));
  return (url) => patterns.some((pattern) => pattern.test(url));
}
