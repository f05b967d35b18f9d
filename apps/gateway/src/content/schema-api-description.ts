import { API_VERSIONS, type ApiVersion } from '@vestibule/contracts';
import type { ApiDescription } from '../http/openapi';
import type { Operation } from '../http/openapi-completion';
import { VERSION_HEADER } from './api-version.guard';

/** How a client selects a version: the current one without a header, the previous one only with it. */
export function askForVersion(document: ApiDescription, version: ApiVersion): void {
  const previous = version !== API_VERSIONS[0];
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as Operation[]);
  for (const operation of operations) {
    const header = operation.parameters?.find(({ name }) => name === VERSION_HEADER);
    if (!header) continue;
    Object.assign(header, { required: previous, schema: { type: 'string', enum: [version] } });
    if (previous) operation.deprecated = true;
    else delete operation.responses['410'];
  }
}
