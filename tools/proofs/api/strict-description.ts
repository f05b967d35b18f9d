interface Answer {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { schema: object }>>;
  readonly 'x-codes'?: readonly string[];
}
type Paths = Readonly<
  Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Answer>> }>>>
>;

/**
 * A description whose problem details have the status of their answer, and one of its codes: generated clients must not be bound
 * to the codes that there are today, but what is described must be true.
 */
export function strictDescription(text: string): string {
  const document = JSON.parse(text) as { readonly paths: Paths };
  const answers = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.entries(responses)),
  );
  for (const [status, { description = '', content = {}, 'x-codes': codes }] of answers) {
    const problem = content['application/problem+json'];
    if (codes === undefined || problem === undefined) continue;
    const patterns = description.includes('begin with `vc_`') ? [{ pattern: '^vc_[a-z_]+$' }] : [];
    const properties = { status: { const: Number(status) }, code: { anyOf: [{ enum: codes }, ...patterns] } };
    problem.schema = { allOf: [problem.schema, { properties }] };
  }
  return JSON.stringify(document);
}
