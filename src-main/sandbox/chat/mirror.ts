import type { Brief, ReplyDraft } from './brief.ts'
import { describeImage } from './images.ts'
import { imagesOf, textOf } from './request.ts'

/** Answers with the received request, so that the author of an app can check it. Adds nothing else. */
export async function mirror({ request, bodyBytes }: Brief): Promise<ReplyDraft> {
  const { messages, tools, ...parameters } = request
  const lines = [
    '## What arrived',
    '',
    `${count(messages.length, 'message')}, ${count(bodyBytes, 'byte')} of JSON.`,
    '',
    '| # | role | characters | images | more |',
    '|--:|---|--:|--:|---|',
  ]
  for (const [index, message] of messages.entries()) {
    const more = [
      message.name === undefined ? [] : [`name \`${cell(message.name)}\``],
      message.tool_call_id === undefined ? [] : [`answers \`${cell(message.tool_call_id)}\``],
      (message.tool_calls ?? []).map((call) => `calls \`${cell(call.function.name)}\``),
    ].flat()
    const characters = Array.from(textOf(message.content)).length
    lines.push(
      `| ${index + 1} | ${message.role} | ${characters} | ${imagesOf(message.content).length} | ${more.join(', ')} |`,
    )
  }
  const last = messages.at(-1)
  const lastText = textOf(last?.content)
  if (lastText !== '') lines.push('', `The last one (${last?.role}) says:`, '', quote(lastText))
  const images = messages.flatMap((message) => imagesOf(message.content))
  if (images.length > 0) {
    lines.push('', '### Images', '')
    for (const [index, url] of images.entries()) lines.push(`${index + 1}. ${await describeImage(url)}`)
  }
  if (tools && tools.length > 0) {
    lines.push('', '### Tools', '')
    for (const tool of tools) {
      const { name, description, strict } = tool.function
      lines.push(`- \`${cell(name)}\`${strict ? ' (strict)' : ''}${description ? `: ${cell(description)}` : ''}`)
    }
  }
  lines.push('', '### Parameters', '', '```json', JSON.stringify(parameters, null, 2), '```', '')
  return { content: lines.join('\n') }
}

const count = (amount: number, noun: string) => `${amount} ${noun}${amount === 1 ? '' : 's'}`
/** Text that cannot break a table row or a code span. */
const cell = (text: string) => text.replace(/[|`\r\n]/g, ' ')
const quote = (text: string) =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join('\n')
