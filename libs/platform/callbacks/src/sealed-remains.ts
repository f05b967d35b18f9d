import type { EventRemains } from '@vestibule/contracts';

/** Begins what is sealed now. What earlier versions have sealed is the `errorDetails` alone, which never begins so. */
const MARK = '\0';

/** What an event without claims can be rebuilt from, as it is sealed beside its payload. */
export function encodeRemains({ subject, status, errorDetails }: EventRemains): string {
  return `${MARK}${JSON.stringify([subject, status, ...(errorDetails === undefined ? [] : [errorDetails])])}`;
}

/** Undefined for what an earlier version has sealed. */
export function decodeRemains(text: string): EventRemains | undefined {
  if (!text.startsWith(MARK)) return undefined;
  const [subject, status, errorDetails] = JSON.parse(text.slice(MARK.length)) as [string, string, string | undefined];
  return { subject, status, errorDetails };
}
