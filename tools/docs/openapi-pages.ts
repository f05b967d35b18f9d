/** Describes every API in the OpenAPI format, by the name of its document. */
export type DescribeApis = (version: string) => Promise<Readonly<Record<string, object>>>;

/** The files `docs/openapi/<name>.json`, before formatting. */
export function openApiPages(documents: Readonly<Record<string, object>>): Readonly<Record<string, string>> {
  const entries = Object.entries(documents);
  return Object.fromEntries(entries.map(([name, document]) => [`docs/openapi/${name}.json`, JSON.stringify(document)]));
}
