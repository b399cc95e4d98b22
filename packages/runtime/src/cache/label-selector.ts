/** Label selectors as the API server reads them: `app=web,tier in (a,b),!old`. */

/** Whether a selector selects an object with these labels; undefined if it is not understood here. */
export function selects(selector: string, labels: Readonly<Record<string, string>> = {}): boolean | undefined {
  const requirements = splitOutsideParentheses(selector).map((text) => meets(text.trim(), labels));
  return requirements.includes(undefined) ? undefined : requirements.every(Boolean);
}

const name = String.raw`[^\s=!<>,()]+`;
const exists = new RegExp(`^(?<not>!?)\\s*(?<key>${name})$`);
const equals = new RegExp(`^(?<key>${name})\\s*(?<operator>==?|!=)\\s*(?<value>(?:${name})?)$`);
const isAmong = new RegExp(`^(?<key>${name})\\s+(?<operator>in|notin)\\s*\\((?<values>[^()]*)\\)$`);

function meets(requirement: string, labels: Readonly<Record<string, string>>): boolean | undefined {
  const {
    key = '',
    not,
    operator,
    value = '',
    values = value,
  } = (exists.exec(requirement) ?? equals.exec(requirement) ?? isAmong.exec(requirement))?.groups ?? {};
  if (!key) return undefined;
  const own = labels[key];
  if (operator === undefined) return (own !== undefined) === (not === '');
  const found = own !== undefined && values.split(',').some((one) => one.trim() === own);
  return operator === '!=' || operator === 'notin' ? !found : found;
}

function splitOutsideParentheses(selector: string): string[] {
  return selector.trim() === '' ? [] : selector.split(/,(?![^(]*\))/);
}
