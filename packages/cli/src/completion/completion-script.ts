/** Shell completion, made from the tree of commands, so that it can't lag behind it. Pure. */
import type { Command } from 'commander';
import { sourcesOf, sourcesOfOption } from './place.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A place in the command line, such as `cluster up`, and what can come there. */
interface Place {
  readonly path: string;
  readonly words: readonly { text: string; description: string }[];
  /** Options whose values are known: `-o` and `--output`, and what may follow them. */
  readonly values: readonly { flags: readonly string[]; choices: readonly string[] }[];
  /** Whether names can come here that the command has to be asked for. */
  readonly hasNames: boolean;
  /** Options after which such names come. */
  readonly nameFlags: readonly string[];
}

export function completionScript(program: Command, shell: Shell): string {
  return writers[shell](placesOf(program, ''));
}

function placesOf(command: Command, path: string): Place[] {
  const visible = command.createHelp().visibleCommands(command);
  const commands = visible.map((each) => ({ text: each.name(), description: each.description() }));
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  const options = command.createHelp().visibleOptions(command);
  const words = [
    ...commands,
    ...choices.map((text) => ({ text, description: '' })),
    ...options.flatMap(({ long, description }) => (long ? [{ text: long, description }] : [])),
  ];
  const values = options.flatMap(({ short, long, argChoices }) =>
    argChoices ? [{ flags: [short, long].filter((flag) => flag !== undefined), choices: argChoices }] : [],
  );
  const nameFlags = options
    .filter((option) => sourcesOfOption(option).length > 0)
    .flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined));
  const hasNames = sourcesOf(command).length > 0;
  const below = visible.flatMap((each) => placesOf(each, path ? `${path} ${each.name()}` : each.name()));
  return [{ path, words, values, hasNames, nameFlags }, ...below];
}

const writers: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: (places) => `_kurator() {
  local place= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${place:+$place }$word" in
      ${paths(places).join(' | ')}) place="\${place:+$place }$word" ;;
    esac
  done
  local words=
  case "$place" in
${places.map(({ path, words }) => `    '${path}') words='${texts(words)}' ;;`).join('\n')}
  esac
  case "$place \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(places, ({ pattern, choices }) => `    ${pattern}) words='${choices}' ;;`)}
    ${namePatterns(places).join(' | ')})
      [[ "\${COMP_WORDS[COMP_CWORD]}" == -* ]] ||
        words=$(kurator __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null || echo "$words") ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _kurator kurator`,

  zsh: (places) => `#compdef kurator
_kurator() {
  local place= word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
      (${paths(places).join('|')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place $words[CURRENT-1]" in
${valueCases(places, ({ pattern, choices }) => `    (${pattern.replaceAll(' | ', '|')}) compadd -- ${choices}; return ;;`)}
    (${namePatterns(places).join('|')})
      if [[ "$words[CURRENT]" != -* ]]; then
        compadd -- \${(f)"$(kurator __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}; return
      fi ;;
  esac
  case "$place" in
${places.map(({ path, words }) => `    ('${path}') compadd -- ${texts(words)} ;;`).join('\n')}
  esac
  _files
}
if [ "$funcstack[1]" = _kurator ]; then _kurator "$@"; else compdef _kurator kurator; fi`,

  fish: (places) => `function __kurator_place
  set -l place
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case ${paths(places)
        .map((path) => path.replace(/^'/, "' "))
        .join(' ')}
        set place "$place $word"
    end
  end
  echo "$place"
end
${places.flatMap(({ path, words }) => words.map((word) => fishLine(path, word))).join('\n')}
${places.flatMap(fishValues).join('\n')}
${places.flatMap(fishNames).join('\n')}`,
};

/** Places, each with the word before the cursor, where the command itself has to be asked. */
function namePatterns(places: readonly Place[]): string[] {
  return places.flatMap(({ path, hasNames, nameFlags }) => [
    ...nameFlags.map((flag) => `'${path} ${flag}'`),
    ...(hasNames ? [`'${path} '*`] : []),
  ]);
}

function fishNames({ path, hasNames, nameFlags }: Place): string[] {
  const condition = `test (__kurator_place) = " ${path}"`;
  const asked = "-x -a '(kurator __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'";
  const names = nameFlags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [
    ...(names.length > 0 ? [`complete -c kurator -n '${condition}' ${names.join(' ')} ${asked}`] : []),
    ...(hasNames ? [`complete -c kurator -n '${condition}' ${asked}`] : []),
  ];
}

/** A case for each option whose values are known, in its place. */
function valueCases(places: readonly Place[], write: (one: { pattern: string; choices: string }) => string): string {
  const cases = places.flatMap(({ path, values }) =>
    values.map(({ flags, choices }) => {
      const pattern = flags.map((flag) => `'${path} ${flag}'`).join(' | ');
      return write({ pattern, choices: choices.join(' ') });
    }),
  );
  return cases.join('\n');
}

function fishValues({ path, values }: Place): string[] {
  return values.map(({ flags, choices }) => {
    const condition = `test (__kurator_place) = "${path ? ` ${path}` : ''}"`;
    const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
    return `complete -c kurator -n '${condition}' ${names.join(' ')} -x -a '${choices.join(' ')}'`;
  });
}

/** Every place but the beginning, quoted. */
function paths(places: readonly Place[]): string[] {
  return places.filter(({ path }) => path).map(({ path }) => `'${path}'`);
}

function texts(words: Place['words']): string {
  return words.map(({ text }) => text).join(' ');
}

function fishLine(path: string, { text, description }: Place['words'][number]): string {
  const condition = `test (__kurator_place) = "${path ? ` ${path}` : ''}"`;
  const word = text.startsWith('--') ? `-l ${text.slice(2)}` : `-f -a ${text}`;
  return `complete -c kurator -n '${condition}' ${word} -d '${description.replaceAll("'", "\\'")}'`;
}
