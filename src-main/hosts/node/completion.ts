import type { DescribedCommand, DescribedOption } from './commandTable.ts'

// Completion scripts. Each is whole: it starts no process, and knows the commands, the options and the values of options that have a list.

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

const program = 'inference-studio'

/** Names of commands as the scripts compare them: `' apps add'`, and an empty text for the program. */
const place = ({ name }: DescribedCommand): string => (name === '' ? '' : ` ${name}`)

/** In single quotes of bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
/** In single quotes of fish. */
const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
/** In single quotes of PowerShell. */
const powershellQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The first sentence of a text, short enough for a line of a list. */
const brief = (text: string): string => {
  const [first = ''] = text.split(/(?<=[^.]\.) /)
  const line = first.replace(/\.$/, '')
  return line.length > 70 ? `${line.slice(0, 69)}…` : line
}

/** Words that may follow a command, with what they are. */
const wordsOf = (command: DescribedCommand, all: readonly DescribedCommand[]): (readonly [string, string])[] => [
  ...command.commands.map((name) => {
    const below = all.find((one) => one.name === `${command.name} ${name}`.trim())
    return [name, brief(below?.about ?? '')] as const
  }),
  ...command.arguments.flatMap(({ choices, about }) => choices.map((one) => [one, brief(about)] as const)),
  ...command.options.map(({ long, about }) => [long, brief(about)] as const),
]

/** Options that take a value, with the command that they belong to. */
const withValue = (all: readonly DescribedCommand[]): { at: string; option: DescribedOption }[] =>
  all.flatMap((command) =>
    command.options.filter(({ takesValue }) => takesValue).map((option) => ({ at: place(command), option })),
  )

/** The completion script of a shell. */
export function completionScript(shell: Shell, all: readonly DescribedCommand[]): string {
  return { bash, zsh, fish, powershell }[shell](all)
}

function bash(all: readonly DescribedCommand[]): string {
  const cases = all.filter(({ name }) => name !== '').map((one) => quoted(place(one)))
  return `# bash completion for ${program}: source <(${program} completion bash)
_inference_studio() {
  local at='' i words
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${cases.join('|')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $before" in
${withValue(all)
  .map(({ at, option }) => `    ${quoted(`${at} ${option.long}`)}) ${bashValues(option)} ;;`)
  .join('\n')}
  esac
  case "$at" in
${all
  .map(
    (one) =>
      `    ${quoted(place(one))}) words=${quoted(
        wordsOf(one, all)
          .map(([word]) => word)
          .join(' '),
      )} ;;`,
  )
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _inference_studio ${program}
`
}

/** Without a list, \`complete -o default\` completes the names of files. */
const bashValues = ({ choices }: DescribedOption): string =>
  choices.length === 0 ? 'return' : `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$current")); return`

function zsh(all: readonly DescribedCommand[]): string {
  const cases = all.filter(({ name }) => name !== '').map((one) => quoted(place(one)))
  return `#compdef ${program}
# zsh completion for ${program}: source <(${program} completion zsh), after compinit
_inference_studio() {
  local at=''
  local -i i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      (${cases.join('|')}) at="$at $words[i]" ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${withValue(all)
  .map(
    ({ at, option }) =>
      `    (${quoted(`${at} ${option.long}`)}) ${option.choices.length === 0 ? '_files' : `compadd -- ${option.choices.map(quoted).join(' ')}`}; return ;;`,
  )
  .join('\n')}
  esac
  case "$at" in
${all
  .map(
    (one) =>
      `    (${quoted(place(one))}) found=(${wordsOf(one, all)
        .map(([word, about]) => quoted(`${word}:${about}`))
        .join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  _describe ${quoted(program)} found || _files
}
compdef _inference_studio ${program}
`
}

function fish(all: readonly DescribedCommand[]): string {
  const cases = all.filter(({ name }) => name !== '').map((one) => fishQuoted(place(one)))
  const lines = all.flatMap((one) => {
    const start = `complete -c ${program} -n ${fishQuoted(`__inference_studio_at ${fishQuoted(place(one))}`)}`
    return [
      ...wordsOf(one, all)
        .filter(([word]) => !word.startsWith('--'))
        .map(([word, about]) => `${start} -f -a ${word} -d ${fishQuoted(about)}`),
      ...one.options.map(({ long, about, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${fishQuoted(choices.join(' '))}` : takesValue ? ' -r' : ''
        return `${start} -l ${long.replace(/^--/, '')}${value} -d ${fishQuoted(brief(about))}`
      }),
    ]
  })
  return `# fish completion for ${program}: ${program} completion fish | source
function __inference_studio_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${cases.join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

function powershell(all: readonly DescribedCommand[]): string {
  const entries = all.map(
    (one) =>
      `    ${powershellQuoted(place(one))} = @(${wordsOf(one, all)
        .map(([word, about]) => `@(${powershellQuoted(word)}, ${powershellQuoted(about === '' ? word : about)})`)
        .map((pair) => `,${pair}`)
        .join('; ')})`,
  )
  const values = withValue(all)
    .filter(({ option }) => option.choices.length > 0)
    .map(
      ({ at, option }) =>
        `    ${powershellQuoted(`${at} ${option.long}`)} = @(${option.choices.map(powershellQuoted).join(', ')})`,
    )
  return `# PowerShell completion for ${program}: ${program} completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ${program} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @{
${entries.join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $at = ''
  foreach ($word in $typed) { if ($words.ContainsKey("$at $word")) { $at = "$at $word" } }
  $before = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  $found = if ($values.ContainsKey("$at $before")) { $values["$at $before"] | ForEach-Object { ,@($_, $_) } } else { $words[$at] }
  $found | Where-Object { $_[0] -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}
`
}
