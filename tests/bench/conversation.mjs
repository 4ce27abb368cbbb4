// One turn of a coding agent in the four APIs, and its reply in two. Far end and client of the `dialects` suite share it.

/** The model that every request names. */
export const model = 'm'
const words =
  'The failing assertion compares a rounded value with an exact one, so the tolerance belongs in the helper. '
const replyText = words.repeat(9)
const file = 'export function add(a, b) {\n  // "0.1 + 0.2" is not 0.3 \\ see IEEE 754\n  return a + b\n}\n'.repeat(3)
const callArguments = JSON.stringify({ path: 'src/math.js', content: file })
export const callName = 'write_file'

/** The text in pieces of the usual size of a token: five characters. */
const pieces = (text) => text.match(/.{1,5}/gs)
const textPieces = pieces(replyText)
const argumentPieces = pieces(callArguments)
/** What a client must have at the end of a streamed reply. `deltas` is the least number of events that carry a piece. */
export const expected = { text: replyText, name: callName, arguments: callArguments }
export const argumentChunks = argumentPieces.length
/** Pieces of text and arguments in one streamed reply. */
export const chunks = textPieces.length + argumentChunks
export const usage = { prompt_tokens: 6000, completion_tokens: chunks, total_tokens: 6000 + chunks }

// The agent's side: a system prompt, tools with schemas, and the turns so far.
const system =
  'You are a coding agent. Change files with the tools only, and explain each step in one sentence. '.repeat(40)
const schema = (name) => ({
  type: 'object',
  properties: {
    path: { type: 'string', description: `File that ${name} reads or writes, relative to the root of the repository` },
    content: { type: 'string', description: 'New content of the file' },
    limit: { type: 'integer', minimum: 1, maximum: 2000 },
  },
  required: ['path'],
  additionalProperties: false,
})
const tools = ['read_file', callName, 'list_folder', 'search', 'run_tests', 'apply_change', 'view_image', 'plan'].map(
  (name) => ({ name, description: `${name}: ${words}`, parameters: schema(name) }),
)
const rounds = Array.from({ length: 10 }, (_, at) => ({
  id: `call_${String(at).padStart(24, '0')}`,
  name: tools[at % tools.length].name,
  arguments: JSON.stringify({ path: `src/part-${at}.js`, limit: 100 + at }),
  result: `${at}: ${file.repeat(4)}`,
  says: `I read the next file, number ${at}.`,
}))
const question = 'The test of `add` fails. Find out why and fix it.'
const shortQuestion = 'Say something. '.repeat(40)
const maxTokens = 4096

const chatTools = tools.map((tool) => ({ type: 'function', function: tool }))
const chatTurns = rounds.flatMap(({ id, name, says, result, arguments: args }) => [
  { role: 'assistant', content: says, tool_calls: [{ id, type: 'function', function: { name, arguments: args } }] },
  { role: 'tool', tool_call_id: id, content: result },
])
const responsesTurns = rounds.flatMap(({ id, name, says, result, arguments: args }) => [
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: says, annotations: [] }] },
  { type: 'function_call', call_id: id, name, arguments: args },
  { type: 'function_call_output', call_id: id, output: result },
])
const messagesTurns = rounds.flatMap(({ id, name, says, result, arguments: args }) => [
  {
    role: 'assistant',
    content: [
      { type: 'text', text: says },
      { type: 'tool_use', id, name, input: JSON.parse(args) },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
])

const ollamaTurns = rounds.flatMap(({ name, says, result, arguments: args }) => [
  { role: 'assistant', content: says, tool_calls: [{ function: { name, arguments: JSON.parse(args) } }] },
  { role: 'tool', tool_name: name, content: result },
])
const geminiTurns = rounds.flatMap(({ id, name, says, result, arguments: args }) => [
  { role: 'model', parts: [{ text: says }, { functionCall: { id, name, args: JSON.parse(args) } }] },
  { role: 'user', parts: [{ functionResponse: { id, name, response: { output: result } } }] },
])

/** The bodies of one API, and their paths below `/v1`. `short` is a question; `agent` is the turn of a coding agent. */
function bodies(path, short, agent, streamed = {}) {
  const text = (body) => JSON.stringify({ model, ...body })
  return {
    path,
    pathOf: () => path,
    short: text(short),
    agent: text(agent),
    stream: text({ ...short, stream: true, ...streamed }),
  }
}

export const chat = bodies(
  'chat/completions',
  { messages: [{ role: 'user', content: shortQuestion }], max_tokens: maxTokens },
  {
    messages: [{ role: 'system', content: system }, { role: 'user', content: question }, ...chatTurns],
    tools: chatTools,
    max_tokens: maxTokens,
  },
  { stream_options: { include_usage: true } },
)
const responsesBodies = (store) =>
  bodies(
    'responses',
    { input: shortQuestion, store, max_output_tokens: maxTokens },
    {
      instructions: system,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: question }] }, ...responsesTurns],
      tools: tools.map((tool) => ({ type: 'function', strict: false, ...tool })),
      store,
      max_output_tokens: maxTokens,
    },
  )
/** As Codex asks: nothing is stored. */
export const responses = responsesBodies(false)
/** As the API's default: the reply is stored before the client has its end. */
export const storedResponses = responsesBodies(true)
export const messages = bodies(
  'messages',
  { messages: [{ role: 'user', content: shortQuestion }], max_tokens: maxTokens },
  {
    system: [{ type: 'text', text: system }],
    messages: [{ role: 'user', content: question }, ...messagesTurns],
    tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    max_tokens: maxTokens,
  },
)

/** Its API is not below `/v1`. */
export const ollama = {
  ...bodies(
    'ollama',
    { messages: [{ role: 'user', content: shortQuestion }], stream: false, options: { num_predict: maxTokens } },
    {
      messages: [{ role: 'system', content: system }, { role: 'user', content: question }, ...ollamaTurns],
      tools: chatTools,
      stream: false,
      options: { num_predict: maxTokens },
    },
  ),
  pathOf: () => '../api/chat',
}

const userText = (text) => ({ role: 'user', parts: [{ text }] })
const generationConfig = { maxOutputTokens: maxTokens }
/** The model and the stream are in the path. */
export const gemini = {
  ...bodies(
    'gemini',
    { contents: [userText(shortQuestion)], generationConfig },
    {
      systemInstruction: { parts: [{ text: system }] },
      contents: [userText(question), ...geminiTurns],
      tools: [
        {
          functionDeclarations: tools.map(({ parameters, ...tool }) => ({ ...tool, parametersJsonSchema: parameters })),
        },
      ],
      generationConfig,
    },
  ),
  pathOf: (body) =>
    `../v1beta/models/${model}:${body === 'stream' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
}

const id = 'chatcmpl-7f3a9c2e5b8d4106a1c4e7f0'
const callId = 'call_Zk81mQ0sV5tYb2nXc7Lw'
const chunk = (choices, more = {}) => {
  const data = { id, object: 'chat.completion.chunk', created: 1_760_000_000, model, choices, ...more }
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
}
const choice = (delta, finish_reason = null) => [{ index: 0, delta, logprobs: null, finish_reason }]
const callDelta = (call) => choice({ tool_calls: [{ index: 0, ...call }] })

/** The service's streamed reply, one buffer a chunk. */
export const chatFrames = [
  chunk(choice({ role: 'assistant', content: '' })),
  ...textPieces.map((content) => chunk(choice({ content }))),
  chunk(callDelta({ id: callId, type: 'function', function: { name: callName, arguments: '' } })),
  ...argumentPieces.map((piece) => chunk(callDelta({ function: { arguments: piece } }))),
  chunk(choice({}, 'tool_calls')),
  chunk([], { usage }),
  Buffer.from('data: [DONE]\n\n'),
]

const whole = (body) => Buffer.from(JSON.stringify(body))
export const chatReply = whole({
  id,
  object: 'chat.completion',
  created: 1_760_000_000,
  model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: replyText,
        tool_calls: [{ id: callId, type: 'function', function: { name: callName, arguments: callArguments } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage,
})

// The same reply of a service that speaks Anthropic Messages, for a peer that translates only in that direction.
const messageUsage = { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens }
const message = { id: 'msg_01', type: 'message', role: 'assistant', model, stop_sequence: null }
const event = (type, fields) => Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
const block = (index, content_block, deltas) => [
  event('content_block_start', { index, content_block }),
  ...deltas.map((delta) => event('content_block_delta', { index, delta })),
  event('content_block_stop', { index }),
]
export const messageFrames = [
  event('message_start', { message: { ...message, content: [], stop_reason: null, usage: messageUsage } }),
  ...block(
    0,
    { type: 'text', text: '' },
    textPieces.map((text) => ({ type: 'text_delta', text })),
  ),
  ...block(
    1,
    { type: 'tool_use', id: callId, name: callName, input: {} },
    argumentPieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  ),
  event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: messageUsage }),
  event('message_stop', {}),
]
export const messageReply = whole({
  ...message,
  content: [
    { type: 'text', text: replyText },
    { type: 'tool_use', id: callId, name: callName, input: JSON.parse(callArguments) },
  ],
  stop_reason: 'tool_use',
  usage: messageUsage,
})
