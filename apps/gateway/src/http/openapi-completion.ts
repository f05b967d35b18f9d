import type { OperationExample } from './openapi-examples';
import { failuresOf } from './failures';
import { PROBLEM_TYPE } from './openapi-parts';

interface MediaType {
  schema: object;
  example?: object;
}

interface Response {
  description?: string;
  content?: Record<string, MediaType>;
  headers?: object;
  /** For programs: the codes of the problem details. */
  'x-codes'?: readonly string[];
}

/** The parts of an operation that are completed here. */
export interface Operation {
  operationId?: string;
  tags?: readonly string[];
  deprecated?: boolean;
  security?: readonly object[];
  parameters?: { name: string; in: string; required?: boolean; schema: Record<string, unknown> }[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response>;
}

const JSON_TYPE = 'application/json';

/** The header by which callers of the schema and draft API choose a version. */
const VERSION_HEADER = 'X-Service-OAS-Version';

const text = (description: string) => ({ description, schema: { type: 'string' } });
const HEADERS: Readonly<Record<string, object>> = {
  401: { 'WWW-Authenticate': text('What is missing: `Bearer`, or `ApiKey header="X-API-KEY"`') },
  429: { 'Retry-After': text('Seconds to wait') },
  503: { 'Retry-After': text('Seconds to wait') },
};

/** What is said of each status: problem details with the codes that occur. */
function failureResponses(operation: Operation, method: string): Record<string, Response> {
  const { operationId = '', parameters = [], security = [] } = operation;
  const failures = failuresOf({
    operationId,
    method,
    hasParameters: parameters.some((one) => one.in === 'path'),
    ofTenant: security.some((scheme) => 'apiKey' in scheme),
    versioned: parameters.some(({ name }) => name === VERSION_HEADER),
  });
  const content = { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } };
  const entries = [...failures].map(([status, { description, codes }]) => {
    const headers = HEADERS[status];
    return [status, { description, ...(headers ? { headers } : {}), content, 'x-codes': codes }] as const;
  });
  return Object.fromEntries(entries);
}

/** Operations whose body may be absent: it then counts as `{}`. */
const OPTIONAL_BODIES: ReadonlySet<string> = new Set([
  'testCallbacks',
  'PresentationIssueV1',
  'SchemaCreate',
  'SchemaPublish',
  'SchemaSearch',
  'PublishedSchemaSearch',
  'DraftSearch',
  'DraftIssue',
]);

/** Adds to an operation what its decorators do not say: examples, every failure, and whether its body may be absent. */
export function completeOperation(
  operation: Operation,
  method: string,
  examples: Readonly<Record<string, OperationExample>>,
): void {
  const { operationId = '', requestBody, responses } = operation;
  const example = examples[operationId];
  const question = requestBody?.content[JSON_TYPE];
  if (question && example?.request) question.example = example.request;
  if (requestBody) requestBody.required = !OPTIONAL_BODIES.has(operationId);
  for (const [status, { content }] of Object.entries(responses)) {
    const media = content?.[JSON_TYPE];
    if (media && status.startsWith('2') && example) media.example = example.answer;
  }
  delete responses['default'];
  Object.assign(responses, failureResponses(operation, method));
}
