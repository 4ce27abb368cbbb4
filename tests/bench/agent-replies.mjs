// Checks the replies of the `dialects` suite. A peer gets a figure only if its reply has the content of the far end's.
import { argumentChunks, chunks, expected } from './conversation.mjs'

/** The JSON objects of an event stream, or of lines. */
function* dataOf(text) {
  for (const line of text.split('\n')) {
    if (line.startsWith('{')) yield JSON.parse(line)
    if (line.startsWith('data:') && !line.includes('[DONE]')) yield JSON.parse(line.slice(5))
  }
}

const empty = () => ({ text: '', name: '', arguments: '', deltas: 0, isEnded: false })

/** By API: adds one event to what a client has received so far. */
const addEvent = {
  'chat/completions'(seen, { choices = [] }) {
    const [{ delta = {}, finish_reason: reason } = {}] = choices
    const called = delta.tool_calls?.[0]?.function
    const piece = called?.arguments ?? ''
    seen.text += delta.content ?? ''
    seen.name += called?.name ?? ''
    seen.arguments += piece
    if (delta.content || piece !== '') seen.deltas += 1
    if (reason) seen.isEnded = true
  },
  responses(seen, { type, delta, item }) {
    if (type === 'response.output_text.delta') seen.text += delta
    else if (type === 'response.function_call_arguments.delta') seen.arguments += delta
    else if (type === 'response.output_item.added' && item.type === 'function_call') seen.name += item.name
    else if (type === 'response.completed') seen.isEnded = true
    if (type.endsWith('.delta')) seen.deltas += 1
  },
  messages(seen, { type, delta, content_block: block }) {
    if (delta?.type === 'text_delta') seen.text += delta.text
    else if (delta?.type === 'input_json_delta') seen.arguments += delta.partial_json
    else if (block?.type === 'tool_use') seen.name += block.name
    else if (type === 'message_stop') seen.isEnded = true
    if (type === 'content_block_delta') seen.deltas += 1
  },
  gemini(seen, { candidates: [{ content, finishReason }] }) {
    for (const { text = '', functionCall: call } of content.parts) {
      seen.text += text
      // A call comes whole.
      seen.deltas += call ? argumentChunks : 1
      if (!call) continue
      seen.name += call.name
      seen.arguments += JSON.stringify(call.args)
    }
    if (finishReason) seen.isEnded = true
  },
  ollama(seen, { message, done }) {
    seen.text += message.content
    if (message.content !== '') seen.deltas += 1
    for (const { function: called } of message.tool_calls ?? []) {
      seen.name += called.name
      seen.arguments += JSON.stringify(called.arguments)
      // A call comes whole.
      seen.deltas += argumentChunks
    }
    if (done) seen.isEnded = true
  },
}

/** By API: returns what a client has received with a whole reply. */
const readWhole = {
  'chat/completions'({ choices }) {
    const { content: text, tool_calls: calls } = choices[0].message
    return { text, ...calls[0].function }
  },
  responses({ output }) {
    const [message, call] = output
    return { text: message.content[0].text, name: call.name, arguments: call.arguments }
  },
  messages({ content }) {
    const [{ text }, { name, input }] = [content.find(isType('text')), content.find(isType('tool_use'))]
    return { text, name, arguments: JSON.stringify(input) }
  },
  gemini({ candidates }) {
    const [{ text }, { functionCall: call }] = candidates[0].content.parts
    return { text, name: call.name, arguments: JSON.stringify(call.args) }
  },
  ollama({ message }) {
    const [{ function: called }] = message.tool_calls
    return { text: message.content, name: called.name, arguments: JSON.stringify(called.arguments) }
  },
}
const isType = (type) => (one) => one.type === type

/** @throws when a whole reply differs from the far end's */
export function checkWhole(words, path, bytes) {
  const seen = readWhole[path](JSON.parse(bytes.toString('utf8')))
  compare(words, seen)
}

/** @throws when a streamed reply differs from the far end's, has fewer events than the far end sent pieces, or no end */
export function checkStream(words, path, bytes) {
  const seen = empty()
  for (const event of dataOf(bytes.toString('utf8'))) addEvent[path](seen, event)
  compare(words, seen)
  if (seen.deltas < chunks) throw new Error(`${words}: ${seen.deltas} pieces of ${chunks} arrived.`)
  if (!seen.isEnded) throw new Error(`${words}: the stream has no end.`)
}

function compare(words, seen) {
  for (const [key, value] of Object.entries(expected)) {
    if (seen[key] !== value) throw new Error(`${words}: the reply has other ${key}: ${String(seen[key]).slice(0, 200)}`)
  }
}
