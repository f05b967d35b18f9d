export const JSON_TYPE = 'application/json';
export const JWT = 'application/jwt';

/** A named schema. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const text = { type: 'string' };
/** A segment of the path. */
export const inPath = (name: string, description: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: text,
});
export const answer = (description: string, type: string, schema: object) => ({
  description,
  content: { [type]: { schema } },
});
export const json = (description: string, name: string) => answer(description, JSON_TYPE, ref(name));
/** The OAuth JSON of an error. */
export const failure = (description: string) => json(description, 'OAuthError');

/** What a route with a body answers too. */
const LIMITS = {
  '413': failure('The body is larger than 1 MiB'),
  '415': failure('The media type of the body is not supported'),
};
/** What every route answers too. */
const ALWAYS = {
  '429': failure('Too many requests from this address (`temporarily_unavailable`)'),
  '500': failure('An internal error (`server_error`)'),
  '503': failure('A component is unavailable (`server_error`)'),
};

interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly parameters?: readonly object[];
  readonly body?: object;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}

/** Operations by their controller and method. */
export type Described = Readonly<Record<string, object>>;

/** One operation; those with a body can also fail with its limits. */
export const operation = ({ id, tag, summary, parameters, body, security, responses }: Operation) => ({
  operationId: id,
  tags: [tag],
  summary,
  ...(security ? { security } : {}),
  ...(parameters ? { parameters } : {}),
  ...(body ? { requestBody: body } : {}),
  responses: { ...responses, ...(body ? LIMITS : {}), ...ALWAYS },
});

export const noContent = (description: string) => ({ description });
