import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { taggedBlocks } from '../../src-main/sandbox/chat/blocks.ts'
import { guidePassages } from '../../src-main/sandbox/guide/passages.ts'
import { chat, chunksOf, json, start } from './ask.ts'

const folder = new URL('../../docs/guide/', import.meta.url)
const pages = readdirSync(folder).filter((file) => file.endsWith('.md'))

type Message = Record<string, unknown>
const user = (content: unknown): Message => ({ role: 'user', content })

async function reply(messages: Message[], more: Record<string, unknown> = {}) {
  const sandbox = await start()
  return json(chat(sandbox, { model: 'guide', messages, ...more }))
}
const ask = async (...messages: (string | Message)[]): Promise<string> => {
  const sent = messages.map((message) => (typeof message === 'string' ? user(message) : message))
  return (await reply(sent)).choices[0].message.content
}

/** The pages and sections that a reply quotes, in order. */
const quotedIn = (text: string): string[] =>
  [...text.matchAll(/^From \[.*?\]\(inference-studio:\/\/help\/([^)]*)\):$/gm)].map(([, place = '']) => place)

const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\((inference-studio:[^)]*)\)/g)].map(([, to = '']) => to)

const document = (name: string, text: string): string => `<document name="${name}">\n${text}\n</document>`

describe('a question about the product is answered with a quote of the right page', () => {
  test.each([
    ['How do I connect Claude Code?', 'local-api#codex-cli-and-claude-code'],
    ['how can i hook up codex cli to this', 'local-api#codex-cli-and-claude-code'],
    ['How do I connect opencode?', 'local-api#set-up-an-app'],
    ['set up aider', 'local-api#set-up-an-app'],
    ['What do I put in OPENAI_BASE_URL?', 'local-api#set-up-an-app'],
    ['Where is my API key stored?', 'start#where-the-api-key-is-stored'],
    ['is my key safe', 'start#where-the-api-key-is-stored'],
    ['How do I set a budget?', 'local-api#set-a-budget-or-a-limit-for-an-app'],
    ['limit how much an agent can spend per day', 'local-api#set-a-budget-or-a-limit-for-an-app'],
    ['How do I export?', 'chat#export'],
    ['Can I save a chat as PDF or Word?', 'chat#export'],
    ['Is my data sent anywhere?', 'start#who-receives-your-data'],
    ['do you have telemetry', 'start#who-receives-your-data'],
    ['Can I use it without internet?', 'start#without-a-network'],
    ['How do I connect my own service?', 'start#connect-your-own-service'],
    ['What is the sandbox?', 'start#the-sandbox'],
    ['dark mode', 'start#appearance-and-shortcuts'],
    ['How do I change a keyboard shortcut?', 'start#appearance-and-shortcuts'],
    ['what are branches?', 'chat'],
    ['How do I add an MCP server?', 'chat'],
    ['an MCP server says sign-in needed, how do I sign in?', 'chat#signing-in'],
    ['How can I talk to it by voice?', 'chat#voice-conversation'],
    ['push to talk', 'chat#voice-conversation'],
    ['Which documents can I attach?', 'chat#documents'],
    ['what is a project for', 'chat'],
    ['how full is the context of my model', 'chat#context'],
    ['how do I summarise a long chat to save tokens?', 'chat#context'],
    ['translate selected text', 'chat#text-actions'],
    ['can I preview html?', 'chat#preview'],
    ['Are scripts of a previewed page run?', 'chat#preview'],
    ['Can it read scanned pages?', 'chat#documents'],
    ['Where are my chats stored?', 'data'],
    ['How do I make a backup?', 'data'],
    ['sync between two computers', 'data#sync-between-computers'],
    ['how do I restore a deleted chat', 'data'],
    ['import from ChatGPT', 'chat'],
    ['How do I transcribe a recording to srt?', 'media'],
    ['How many images can I generate at once?', 'media'],
    ['read a long text aloud', 'media'],
    ['Why is the cost marked est.?', 'usage'],
    ['how do I see what each model cost', 'usage'],
    ['alert me when my balance is low', 'usage'],
    ['Can an app ask me when its budget is used up?', 'budgets'],
    ['why did my agent lose the cache?', 'sessions'],
    ['how do I replay requests in my tests?', 'again'],
    ['which tools can an agent use to speak and make images', 'agent-tools'],
    ['Why do I get 401?', 'local-api#when-a-program-reports-an-error'],
    ['what does error 429 mean', 'local-api#when-a-program-reports-an-error'],
    ['the app asks for a model name that does not exist', 'local-api#model-names'],
    ['prometheus metrics', 'local-api#what-the-gateway-does'],
    ['global shortcut for a quick prompt', 'desktop#quick-prompt'],
    ['keep running in the tray when I close the window', 'desktop#window-tray-and-quitting'],
    ['How are updates installed?', 'desktop#updates'],
    ['does it use my proxy settings?', 'desktop#network'],
    ['show the logs', 'desktop#help'],
    ['run it on a server without a window', 'server'],
    ['how do i check that the installation is ok', 'command-line#checking-the-installation'],
    ['Wo wird mein API-Schlüssel gespeichert?', 'start#where-the-api-key-is-stored'],
    ['Comment connecter Claude Code ?', 'local-api#codex-cli-and-claude-code'],
    ['¿Cómo exporto un chat?', 'chat#export'],
    ['我的数据会发送到哪里？', 'start#who-receives-your-data'],
    ['Как подключить Claude Code?', 'local-api#codex-cli-and-claude-code'],
  ])('%s', async (question, place) => {
    const quoted = quotedIn(await ask(question))
    expect(quoted).toContain(place)
    // A quote that does not fit costs the reader more than none.
    expect(quoted.length).toBeLessThanOrEqual(2)
  })
})

test.each(['hi', 'Hello!', 'What can you do?', 'What is this?', 'who are you', 'help', 'thanks'])(
  '“%s” is answered with what the model can and cannot do',
  async (words) => {
    const said = await ask(words)
    expect(said).toMatch(/its guide/)
    expect(said).toMatch(/cannot write, translate, calculate or summarise/)
    expect(quotedIn(said)).toEqual([])
  },
)

test.each([
  'Why is the sky blue?',
  'Explain how a suspension bridge carries its load',
  'Write a poem about the sea',
  'What is 17 times 23?',
  'Who won the world cup in 1998?',
])('“%s” is not answered, and the reply says why', async (question) => {
  const said = await ask(question)
  expect(quotedIn(said)).toEqual([])
  expect(said).toMatch(/not answered in the guide/)
  expect(said).toMatch(/not a language model/)
})

test.each([
  ['Hallo! Was kannst du?', /^Ich antworte nur auf Englisch/],
  ['Où est enregistrée ma clé ?', /^Je réponds uniquement en anglais/],
  ['¿Dónde se guarda mi clave?', /^Solo respondo en inglés/],
  ['Ciao, cosa puoi fare?', /^Rispondo solo in inglese/],
  ['Olá, o que você pode fazer?', /^Respondo apenas em inglês/],
  ['Wat kun je voor mij doen?', /^Ik antwoord alleen in het Engels/],
  ['Gdzie są moje klucze?', /^Odpowiadam tylko po angielsku/],
  ['Merhaba, verilerim nerede?', /^Yalnızca İngilizce/],
  ['Что ты умеешь?', /^Я отвечаю только по-английски/],
  ['Що ти вмієш, і як?', /^Я відповідаю лише англійською/],
  ['APIキーはどこに保存されますか？', /^英語でのみ回答します/],
  ['料金確認方法教えて', /^英語でのみ回答します/],
  ['무엇을 할 수 있나요?', /^영어로만 답변합니다/],
  ['你能做什么？', /^我只用英语回答/],
  ['ماذا يمكنك أن تفعل؟', /^أجيب باللغة الإنجليزية فقط/],
  ['आप क्या कर सकते हैं?', /^मैं केवल /],
])('“%s” is told in its own language that replies are in English', async (question, sentence) => {
  expect(await ask(question)).toMatch(sentence)
})

test('an English question is not taken for another language because of a name in it', async () => {
  expect(await ask('How do I export the chat “Les Misérables”?')).toMatch(/^From /)
})

test('each link of a quote, and each page that is proposed, exists', async () => {
  const ids = new Map(
    pages.map((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8')
      return [file.slice(0, -3), new Set(guidePassages(file.slice(0, -3), text).map(({ anchor }) => anchor))]
    }),
  )
  const said = pages
    .filter((file) => file !== 'README.md')
    .flatMap((file) => guidePassages(file.slice(0, -3), readFileSync(new URL(file, folder), 'utf8')))
    .map(({ text }) => text)
  const links = linksIn([...said, await ask('hi'), await ask('Why is the sky blue?')].join('\n'))
  expect(links.length).toBeGreaterThan(10)
  for (const link of links.filter((to) => to.includes('//help/'))) {
    const [, page = '', anchor = ''] = /help\/([\w-]+)(?:#(.*))?$/.exec(link) ?? []
    expect(ids.get(page), link).toBeDefined()
    if (anchor !== '') expect([...(ids.get(page) ?? [])], link).toContain(anchor)
  }
})

describe('an attached file', () => {
  const report = document(
    'harvest &amp; weather.pdf',
    '[Page 1]\nThe harvest of this year was good.\n\nIt rained in May.\n\n[Page 2]\nThe barn has room for 300 sacks of barley.\n\n[Page 3]\nNobody measured the wind.',
  )

  test('is quoted with the page of the passage that fits', async () => {
    const said = await ask(`${report}\n\nHow many sacks of barley fit into the barn?`)
    expect(said).toContain('From **harvest & weather.pdf**, Page 2:\n\n> The barn has room for 300 sacks of barley.')
    expect(said).not.toContain('It rained')
  })

  test('answers later questions of the chat, until a question is about the product', async () => {
    const before = [user(`${report}\n\nWhat is this?`), { role: 'assistant', content: 'A report.' }]
    expect(await ask(...before, 'When did it rain?')).toContain('Page 1:\n\n> It rained in May.')
    expect(quotedIn(await ask(...before, 'Where is my API key stored?'))).toContain('start#where-the-api-key-is-stored')
  })

  test('is shown from its beginning when nothing fits, or when a summary is wanted', async () => {
    expect(await ask(`${report}\n\nWho owns the mill?`)).toContain(
      'I found nothing about that in **harvest & weather.pdf**',
    )
    expect(await ask(`${report}\n\nPlease summarise this document.`)).toMatch(
      /but not summarise[^>]*> The harvest of this year was good\./,
    )
  })

  test('has no effect as Markdown', async () => {
    const said = await ask(
      `${document('a.txt', 'The [barley](https://evil.example) **costs** ![x](y) `5`.')}\n\nWhat costs the barley?`,
    )
    expect(said).toContain('> The \\[barley\\](https://evil.example) \\*\\*costs\\*\\* !\\[x\\](y) \\`5\\`.')
  })

  test('of a project is quoted by the number of its passage', async () => {
    const passage = '<passage number="7" file="ferry.md" place="Page 4">\nThe ferry leaves at six.\n</passage>'
    expect(await ask(`${passage}\n\nWhen does the ferry leave?`)).toContain(
      'From **ferry.md**, Page 4 [7]:\n\n> The ferry leaves at six.',
    )
  })

  test('of 20 MB is searched at its beginning only, which the reply says, and in little time', async () => {
    const long = document(
      'long.txt',
      `[Page 1]\nThe ferry leaves at six.\n\n${'Nothing happens here. '.repeat(900_000)}`,
    )
    const { answerFromGuide } = await import('../../src-main/sandbox/guide/answer.ts')
    const request = { model: 'guide', messages: [user(`${long}\n\nWhen does the ferry leave?`)] }
    const before = process.cpuUsage()
    // biome-ignore lint/suspicious/noExplicitAny: only the request is read
    const { content } = await answerFromGuide({ request } as any)
    const { user: cpu } = process.cpuUsage(before)
    expect(content).toContain('> The ferry leaves at six.')
    expect(content).toContain('I searched only the beginning')
    expect(cpu / 1000).toBeLessThan(3_000)
  })
})

test('the blocks of a hostile text are found in linear time', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `<document-${at % 9_999} name="a">\n`).join('')
  const before = process.cpuUsage()
  expect(taggedBlocks('document', many).blocks).toEqual([])
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000)
})

test('a block whose text has its own end tag ends at the numbered tag', () => {
  const { blocks, rest } = taggedBlocks(
    'document',
    'Before <document-2 name="x">\na\n</document>\nb\n</document-2> after',
  )
  expect(blocks).toEqual([{ attributes: { name: 'x' }, text: 'a\n</document>\nb' }])
  expect(rest).toBe('Before   after')
})

test('an image is measured, and the reply says that it is not seen', async () => {
  const url = `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`
  const said = await ask(
    user([
      { type: 'text', text: 'What is in this image?' },
      { type: 'image_url', image_url: { url } },
    ]),
  )
  expect(said).toMatch(/I cannot see what an image shows/)
  expect(said).toMatch(/PNG, 1 × 1 pixels/)
})

const tide = {
  type: 'function',
  function: {
    name: 'get_tide',
    parameters: { type: 'object', properties: { harbour: { type: 'string' } }, required: ['harbour'] },
  },
}

test('[CHAT-10] a tool is called when the message names it, and its result is repeated', async () => {
  const { choices } = await reply([user('Call get_tide for Husum')], { tools: [tide] })
  const [call] = choices[0].message.tool_calls
  expect(choices[0].finish_reason).toBe('tool_calls')
  expect(call.function.name).toBe('get_tide')
  expect(JSON.parse(call.function.arguments)).toHaveProperty('harbour')
  const results = [
    user('Call get_tide for Husum'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, content: '12:40' },
  ]
  expect((await reply(results, { tools: [tide] })).choices[0].message.content).toContain('12:40')
})

test('an offered tool that the message does not name is proposed, not called', async () => {
  const { choices } = await reply([user('hi')], { tools: [tide] })
  expect(choices[0].finish_reason).toBe('stop')
  expect(choices[0].message.content).toContain('[Call get_tide](inference-studio://chat?prompt=Call%20get_tide)')
})

test('proposals do not repeat what the question was about, and change from message to message', async () => {
  const first = await ask('hi')
  const second = await ask('hi', { role: 'assistant', content: first }, 'ok')
  const proposalsOf = (text: string) => text.split('**Try next**')[1]?.trim()
  expect(proposalsOf(first)).not.toBe(proposalsOf(second))
  expect(proposalsOf(await ask('How do I connect Claude Code?'))).not.toContain('Connect an agent')
})

test('[CHAT-06] [CHAT-07] [CHAT-08] a stream obeys max_tokens and stop, and reports its usage', async () => {
  const sandbox = await start()
  const body = { model: 'guide', stream: true, stream_options: { include_usage: true }, messages: [user('hi')] }
  const chunks = chunksOf(await (await chat(sandbox, { ...body, max_tokens: 5 })).text())
  expect(chunks.at(-2)?.choices[0].finish_reason).toBe('length')
  expect(chunks.at(-1)?.usage.completion_tokens).toBe(5)
  const text = chunksOf(await (await chat(sandbox, { ...body, stop: ['guide'] })).text())
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('')
  expect(text).toBe('Hello! I am `')
})

test('response_format is obeyed', async () => {
  const { choices } = await reply([user('hi')], { response_format: { type: 'json_object' } })
  expect(JSON.parse(choices[0].message.content)).toBeTypeOf('object')
})

test('guide is the first model of the list, and `n` choices are equal', async () => {
  const { choices } = await reply([user('hi')], { n: 2 })
  expect(choices[0].message.content).toBe(choices[1].message.content)
})
