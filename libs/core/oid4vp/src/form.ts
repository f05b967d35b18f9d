import { invalidRequest } from './failures';

/** The value of a form parameter: absent when empty, `invalid_request` when it came twice (RFC 6749 §3.1). */
export function formParameter(form: readonly (readonly [string, string])[], name: string): string | undefined {
  const values = form.filter(([key]) => key === name).map(([, value]) => value);
  if (values.length > 1) throw invalidRequest('parameter_repeated', `the parameter ${name} is repeated`);
  return values[0] === '' ? undefined : values[0];
}
