import { type Command, InvalidArgumentError, Option } from 'commander'
import { speechFormats } from '../../../../src-preload/contract/speech.ts'
import { help, t } from '../../../../src-renderer/i18n/cli.ts'
import { dataFolder, json, nonEmpty, path } from '../arguments.ts'
import type { Parts } from '../dependencies.ts'

/** Adds `speak`, `transcribe` and `image`. Their code is loaded when one of them runs. */
export function describeMedia(
  connectable: (name: string, about: string, examples: readonly string[]) => Command,
  checkConnection: (options: object, command: Command) => void,
  parts: Parts,
  ended: (code: number) => void,
): void {
  const load = () => import('../commands/media.ts')
  const command = (name: string, about: string, examples: readonly string[]): Command =>
    connectable(name, about, examples)
      .option('--model <id>', help('media.model'), nonEmpty)
      .option('--output <file>', help('option.output'), path)
      .option('--force', help('option.force'), false)
      .addOption(dataFolder())
      .addOption(json())

  command('speak', help('speak.about'), [
    "inference-studio speak 'Good morning' --sandbox --output morning.mp3",
    'inference-studio speak - --sandbox --format wav < README.md > readme.wav',
  ])
    .argument('[text]', help('speak.text'), nonEmpty)
    .option('--voice <name>', help('speak.voice'), nonEmpty)
    .addOption(new Option('--format <format>', help('speak.format')).choices(speechFormats))
    .option('--speed <factor>', help('speak.speed'), speed)
    .action(async (text, options, self) => {
      checkConnection(options, self)
      ended(await (await load()).speak(text, options, parts))
    })

  command('transcribe', help('transcribe.about'), [
    'inference-studio transcribe morning.mp3 --sandbox',
    'inference-studio transcribe - --name morning.mp3 --sandbox --output morning.vtt < morning.mp3',
  ])
    .argument('<file>', help('transcribe.file'), path)
    .option('--name <name>', help('transcribe.name'), nonEmpty)
    .option('--language <code>', help('transcribe.language'), nonEmpty)
    .option('--prompt <text>', help('transcribe.prompt'), nonEmpty)
    .addOption(new Option('--format <format>', help('transcribe.format')).choices(['txt', 'vtt', 'srt']))
    .action(async (file, options, self) => {
      checkConnection(options, self)
      ended(await (await load()).transcribe(file, options, parts))
    })

  command('image', help('image.about'), [
    "inference-studio image 'A lighthouse at night' --sandbox --output lighthouse.png",
    "inference-studio image 'A red kite' --sandbox --count 2 --output kite.png",
  ])
    .argument('[prompt]', help('image.prompt'), nonEmpty)
    .option('--count <n>', help('image.count'), count, 1)
    .option('--size <size>', help('image.size'), nonEmpty)
    .action(async (prompt, options, self) => {
      checkConnection(options, self)
      ended(await (await load()).image(prompt, options, parts))
    })
}

function speed(text: string): number {
  const number = /^\d(\.\d{1,4})?$/.test(text) ? Number(text) : 0
  if (number < 0.25 || number > 4) throw new InvalidArgumentError(t('invalid.number', { from: 0.25, to: 4 }))
  return number
}

function count(text: string): number {
  if (!/^[1-4]$/.test(text)) throw new InvalidArgumentError(t('invalid.number', { from: 1, to: 4 }))
  return Number(text)
}
