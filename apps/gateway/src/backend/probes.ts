import { Reflector } from '@nestjs/core';
import { declared, type RouteTable } from '../http/routes';

/** A controller for probes: they carry neither keys nor certificates, and read nothing that needs protection. */
export const ForProbes = Reflector.createDecorator<true>({ transform: () => true });

const PROBED = '[a-z]+';

/** Is this the address of a probe, existing or not? Only addresses of other routes require a key. */
export function probeAddresses(table: RouteTable): (url: string) => boolean {
  const folders = table.all
    .filter((route) => declared(ForProbes, route) === true)
    .map(({ path }) => path.slice(0, path.lastIndexOf('/')));
  const patterns = [...new Set(folders)].map((folder) => new RegExp(`^${folder}/${PROBED}$`));
  return (url) => patterns.some((pattern) => pattern.test(url));
}
