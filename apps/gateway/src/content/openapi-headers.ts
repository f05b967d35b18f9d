import { API_VERSIONS } from '@vestibule/contracts';
import { VERSION_HEADER } from './api-version.guard';

const text = (description: string) => ({ description, schema: { type: 'string' as const } });

export const OAS_VERSION_HEADER = {
  name: VERSION_HEADER,
  required: false,
  description: 'The version of the schema and draft API; default: the current one',
  schema: { type: 'string' as const, enum: [...API_VERSIONS] },
};

export const IF_MATCH_HEADER = {
  name: 'If-Match',
  required: false,
  description: 'The etag that was read; returns 412 if the resource has changed since',
  schema: { type: 'string' as const },
};

export const VERSION_HEADERS = {
  [VERSION_HEADER]: text('The version of this response'),
  Deprecation: text('Since when the previous version is deprecated (RFC 9745); absent in the current one'),
  Sunset: text('When the previous version ends (RFC 8594), where an end is set; absent in the current one'),
};

export const RESOURCE_HEADERS = { ...VERSION_HEADERS, ETag: text('The etag of the resource, in quotes') };
