import { type Definition, environmentNames } from './configuration';

/** One row of the configuration reference. */
export interface VariableDescription {
  readonly name: string;
  /** All its names: the second one ends in `_FILE`. */
  readonly names: readonly string[];
  readonly category: string;
  readonly description: string;
  readonly default?: string;
  /** True if the program does not start without it. */
  readonly mandatory: boolean;
  readonly secret: boolean;
}

/** A definition as data, in its own order: for the reference and for checking a compose file. */
export function describeConfiguration(definition: Definition): readonly VariableDescription[] {
  return Object.values(definition).map((item) => {
    const { category, description, secret = false, default: preset } = item.options;
    return {
      name: item.name,
      names: environmentNames(item),
      category,
      description,
      ...(preset === undefined || secret ? {} : { default: preset }),
      mandatory: item.required && preset === undefined,
      secret,
    };
  });
}

function row(item: VariableDescription): string {
  const preset = item.default === undefined ? (item.mandatory ? '**required**' : '') : `\`${item.default}\``;
  const names = item.names.map((name) => `\`${name}\``).join(' or ');
  return `| ${names} | ${preset} | ${item.description.replaceAll('|', '\\|')} |`;
}

/** The Markdown tables of one app, one per category, in the order of the definition. */
export function configurationMarkdown(definition: Definition): string {
  const items = describeConfiguration(definition);
  const categories = [...new Set(items.map(({ category }) => category))];
  return categories
    .map((category) => {
      const rows = items.filter((item) => item.category === category).map(row);
      return [`### ${category}`, '', '| variable | default | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
    })
    .join('\n');
}
