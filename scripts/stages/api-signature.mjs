/** What a declaration looks like to its users: as it is written, without what only its maker sees. */
import ts from 'typescript';

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Declaration} declaration
 * @returns {string}
 */
export function signatureOf(checker, declaration) {
  if (ts.isFunctionDeclaration(declaration)) return isHidden(checker, declaration) ? '' : header(declaration);
  if (ts.isClassDeclaration(declaration)) return classOutline(declaration);
  if (ts.isVariableDeclaration(declaration)) return constant(checker, declaration);
  return plain(declaration.getText());
}

/**
 * The one of an overloaded function that has a body is called by nobody.
 *
 * @param {ts.TypeChecker} checker
 * @param {ts.FunctionDeclaration} declaration
 */
function isHidden(checker, declaration) {
  const all = declaration.name && checker.getSymbolAtLocation(declaration.name)?.declarations;
  return declaration.body !== undefined && (all?.filter(ts.isFunctionDeclaration).length ?? 0) > 1;
}

/** @param {ts.FunctionDeclaration | ts.ClassElement} declaration */
function header(declaration) {
  const { body } = /** @type {{ body?: ts.Node }} */ (declaration);
  const text = declaration.getText();
  const end = body ? body.getStart() - declaration.getStart() : text.length;
  return `${plain(text.slice(0, end)).trimEnd().replace(/;$/, '')};`;
}

/** @param {string} text */
function plain(text) {
  return text.replace(/^export /, '').replace(/^async /, '');
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.VariableDeclaration} declaration
 */
function constant(checker, declaration) {
  const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;
  const type =
    declaration.type?.getText() ?? checker.typeToString(checker.getTypeAtLocation(declaration), declaration, flags);
  return `const ${declaration.name.getText()}: ${type};`;
}

/** @param {ts.ClassDeclaration} declaration */
function classOutline(declaration) {
  const heritage = (declaration.heritageClauses ?? []).map((clause) => ` ${clause.getText()}`).join('');
  const types = declaration.typeParameters
    ? `<${declaration.typeParameters.map((one) => one.getText()).join(', ')}>`
    : '';
  const members = declaration.members.filter(isPublic).map(memberOutline);
  return [`class ${declaration.name?.text}${types}${heritage} {`, ...members, '}'].join('\n');
}

/** @param {ts.ClassElement} member */
function isPublic(member) {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const isPrivate = member.name !== undefined && ts.isPrivateIdentifier(member.name);
  return !isPrivate && !(ts.getCombinedModifierFlags(member) & hidden) && !ts.isClassStaticBlockDeclaration(member);
}

/** @param {ts.ClassElement} member */
function memberOutline(member) {
  const comments = ts
    .getJSDocCommentsAndTags(member)
    .filter(ts.isJSDoc)
    .map((one) => `  ${one.getText()}\n`);
  const { initializer } = /** @type {ts.PropertyDeclaration} */ (member);
  const text =
    ts.isPropertyDeclaration(member) && initializer
      ? `${member
          .getText()
          .slice(0, initializer.getFullStart() - member.getStart())
          .replace(/\s*=$/, '')};`
      : header(member);
  return `${comments.join('')}  ${text.replace(/^async /, '')}`;
}
