/** Finds what a package exports without saying what it is. */
import ts from 'typescript';

/** @typedef {{ file: string, line: number, name: string }} Undocumented */

/**
 * @param {string[]} indexes the packages' front doors, as `packages/client/src/index.ts`
 * @returns {Undocumented[]}
 */
export function undocumentedExports(indexes) {
  const program = ts.createProgram(indexes, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    customConditions: ['source'],
    types: [],
  });
  const checker = program.getTypeChecker();
  return indexes.flatMap((index) => {
    const source = program.getSourceFile(index);
    const front = source && checker.getSymbolAtLocation(source);
    // A file without exports is no module, and has no symbol.
    if (!front) return [];
    return checker.getExportsOfModule(front).flatMap((exported) => undocumented(checker, exported));
  });
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} exported
 * @returns {Undocumented[]}
 */
function undocumented(checker, exported) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declaration = symbol.declarations?.[0];
  if (!declaration || symbol.getDocumentationComment(checker).length > 0) return [];
  const file = declaration.getSourceFile();
  // What others made and we pass on, they document.
  if (file.fileName.includes('/node_modules/')) return [];
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart());
  return [{ file: file.fileName, line: line + 1, name: exported.name }];
}
