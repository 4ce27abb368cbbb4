import type { Argument, HelpConfiguration, Option } from 'commander'
import { help, t } from '../../../src-renderer/i18n/cli.ts'
import { wideCharacters, widthOf } from './table.ts'

// Commander's own words in the person's language. Commander writes them in English, always in these forms.

type Values = Record<string, string>

const reason = (words: string): string => {
  const choices = /^Allowed choices are (.*)\.$/s.exec(words)?.[1]
  return choices === undefined ? words : t('usage.choices', { choices })
}

const forms: readonly (readonly [form: RegExp, words: (named: Values) => string])[] = [
  [/^missing required argument '(?<name>.*)'$/s, (named) => t('usage.missingArgument', named)],
  [/^option '(?<option>[^']*)' argument missing$/, (named) => t('usage.missingValue', named)],
  [/^required option '(?<option>[^']*)' not specified$/, (named) => t('usage.missingOption', named)],
  [/^unknown option '(?<name>.*)'$/s, (named) => t('usage.unknownOption', named)],
  [/^unknown command '(?<name>.*)'$/s, (named) => t('usage.unknownCommand', named)],
  [
    /^option '(?<option>[^']*)' argument '(?<value>.*)' is invalid\. (?<reason>.*)$/s,
    (named) => t('usage.invalidValue', { ...named, reason: reason(named.reason ?? '') }),
  ],
  [
    /^command-argument value '(?<value>.*)' is invalid for argument '(?<name>[^']*)'\. (?<reason>.*)$/s,
    (named) => t('usage.invalidArgument', { ...named, reason: reason(named.reason ?? '') }),
  ],
  [
    /^too many arguments(?: for '(?<name>[^']*)')?\. Expected (?<count>\d+) arguments? but got (?<got>\d+): (?<given>.*)\.$/s,
    ({ count, name, ...named }) =>
      name === undefined
        ? t('usage.tooMany', { ...named, count: Number(count) })
        : t('usage.tooManyFor', { ...named, name, count: Number(count) }),
  ],
]

/** A usage error of commander, without `error: `, in the person's language. Our own words stay. */
export function usageText(message: string): string {
  const [, words = '', several, names = ''] = /^(.*?)(?:\s\(Did you mean (one of )?(.*)\?\))?$/s.exec(message) ?? []
  for (const [form, translate] of forms) {
    const found = form.exec(words)
    if (!found) continue
    const translated = translate({ ...found.groups })
    if (names === '') return translated
    return several
      ? t('usage.similarOnes', { message: translated, names })
      : t('usage.similar', { message: translated, name: names })
  }
  return message
}

const headings: Readonly<Record<string, () => string>> = {
  'Usage:': () => help('words.usage'),
  'Arguments:': () => help('words.arguments'),
  'Options:': () => help('words.options'),
  'Global Options:': () => help('words.globalOptions'),
  'Commands:': () => help('words.commands'),
}

/** A description with the choices and the default. */
function described({ description, argChoices, defaultValue }: Argument | Option, hasDefault: boolean): string {
  const facts = [
    ...(argChoices
      ? [help('words.choices', { choices: argChoices.map((one) => JSON.stringify(one)).join(', ') })]
      : []),
    ...(hasDefault ? [help('words.default', { value: JSON.stringify(defaultValue) })] : []),
  ]
  return facts.length === 0 ? description : help('words.facts', { description, facts: facts.join(', ') })
}

/** Commander's own least width of a column of text is wider than a narrow terminal. */
const minWidthToWrap = 16

/**
 * Pieces of a line that stay together. Japanese and Chinese break between any characters, except before closing and after opening
 * punctuation.
 */
const piece = new RegExp(
  ` *(?:[「『（【“]*(?:${wideCharacters}|[^ ${wideCharacters.slice(1, -1)}]+)[、。，；：）」』】！？”]*)`,
  'gu',
)

/** A text in lines of at most `width` columns, as commander wraps it. */
function wrap(text: string, width: number): string {
  if (width < minWidthToWrap) return text
  return text
    .split('\n')
    .flatMap((line) => {
      const lines: string[] = []
      let last = ''
      for (const [chunk] of line.matchAll(piece)) {
        if (last !== '' && widthOf(last) + widthOf(chunk) > width) {
          lines.push(last)
          last = chunk.trimStart()
        } else last += chunk
      }
      return [...lines, last]
    })
    .join('\n')
}

/** How commander writes the help: translated, and by the columns of a terminal. */
export const helpStyle: HelpConfiguration = {
  minWidthToWrap,
  showGlobalOptions: true,
  displayWidth: widthOf,
  styleTitle: (title) => headings[title]?.() ?? title,
  optionDescription: (option) =>
    described(
      option,
      option.defaultValue !== undefined &&
        (option.required || option.optional || (option.isBoolean() && typeof option.defaultValue === 'boolean')),
    ),
  argumentDescription: (argument) => described(argument, argument.defaultValue !== undefined),
  boxWrap: wrap,
}
