import { type Command, InvalidArgumentError, Option } from 'commander'
import { speechFormats } from '../../../../src-preload/contract/speech.ts'
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
      .option('--model <id>', 'model id (default: that of the service)', nonEmpty)
      .option('--output <file>', 'write to this file; - is standard output (default)', path)
      .option('--force', 'overwrite an existing file', false)
      .addOption(dataFolder())
      .addOption(json())

  command('speak', 'Turn a text into speech', [
    "inference-studio speak 'Good morning' --sandbox --output morning.mp3",
    'inference-studio speak - --sandbox --format wav < README.md > readme.wav',
  ])
    .argument('[text]', 'text to speak; - is standard input', nonEmpty)
    .option('--voice <name>', 'voice (default: that of the service)', nonEmpty)
    .addOption(
      new Option('--format <format>', 'format of the audio (default: by the name of the file, else mp3)').choices(
        speechFormats,
      ),
    )
    .option('--speed <factor>', 'speed, 0.25 to 4', speed)
    .action(async (text, options, self) => {
      checkConnection(options, self)
      ended(await (await load()).speak(text, options, parts))
    })

  command('transcribe', 'Turn a recording into text', [
    'inference-studio transcribe morning.mp3 --sandbox',
    'inference-studio transcribe - --name morning.mp3 --sandbox --output morning.vtt < morning.mp3',
  ])
    .argument('<file>', 'audio file; - is standard input', path)
    .option('--name <name>', 'name of the recording, whose ending says its format; for standard input', nonEmpty)
    .option('--language <code>', 'language of the recording, such as en', nonEmpty)
    .option('--prompt <text>', 'words that help to understand the recording', nonEmpty)
    .addOption(
      new Option('--format <format>', 'format of the text (default: by the name of the file, else txt)').choices([
        'txt',
        'vtt',
        'srt',
      ]),
    )
    .action(async (file, options, self) => {
      checkConnection(options, self)
      ended(await (await load()).transcribe(file, options, parts))
    })

  command('image', 'Make images from a text', [
    "inference-studio image 'A lighthouse at night' --sandbox --output lighthouse.png",
    "inference-studio image 'A red kite' --sandbox --count 2 --output kite.png",
  ])
    .argument('[prompt]', 'what the image shows; - is standard input', nonEmpty)
    .option('--count <n>', 'number of images, 1 to 4; several get numbers before the ending of the name', count, 1)
    .option('--size <size>', 'size, such as 1024x1024, for services that read it', nonEmpty)
    .action(async (prompt, options, self) => {
      checkConnection(options, self)
      ended(await (await load()).image(prompt, options, parts))
    })
}

function speed(text: string): number {
  const number = /^\d(\.\d{1,4})?$/.test(text) ? Number(text) : 0
  if (number < 0.25 || number > 4) throw new InvalidArgumentError('A number from 0.25 to 4.')
  return number
}

function count(text: string): number {
  if (!/^[1-4]$/.test(text)) throw new InvalidArgumentError('A number from 1 to 4.')
  return Number(text)
}
