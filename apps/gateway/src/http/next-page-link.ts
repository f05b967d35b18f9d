/** The `Link` header of a list that goes on (RFC 8288): relative to the request, with the cursor of the next page. */
export function nextPageLink(
  path: string,
  query: Record<string, unknown>,
  cursor: string | undefined,
): Record<string, string> {
  if (cursor === undefined) return {};
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const next = new URLSearchParams([...parameters.filter(([name]) => name !== 'cursor'), ['cursor', cursor]]);
  return { link: `<${path}?${next.toString()}>; rel="next"` };
}
