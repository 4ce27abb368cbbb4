import { type LibrarySetup, literal, provider, shellWord } from './setup.ts'

/** Shells and libraries, which need only an address and a key. */
export const libraries: LibrarySetup[] = [
  {
    id: 'shell',
    name: '',
    kind: 'shell',
    npm: null,
    verified: true,
    steps: ({ baseUrl, key }) => [
      {
        about: 'shell',
        language: 'sh',
        text: `export OPENAI_BASE_URL=${shellWord(baseUrl)}\nexport OPENAI_API_KEY=${shellWord(key)}`,
      },
    ],
  },
  {
    id: 'curl',
    name: 'curl',
    kind: 'shell',
    npm: null,
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'streamed',
        language: 'sh',
        text: `curl -N ${shellWord(`${baseUrl}/chat/completions`)} \\
  -H ${shellWord(`Authorization: Bearer ${key}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${shellWord(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }))}`,
      },
    ],
  },
  {
    id: 'openai-python',
    name: 'OpenAI for Python',
    kind: 'library',
    npm: null,
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'python',
        language: 'python',
        text: `from openai import OpenAI

client = OpenAI(base_url=${literal(baseUrl)}, api_key=${literal(key)})
stream = client.chat.completions.create(
    model=${literal(model)},
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)
for chunk in stream:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)`,
      },
    ],
  },
  {
    id: 'openai-node',
    name: 'OpenAI for Node',
    kind: 'library',
    npm: 'openai',
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'module',
        packages: 'openai',
        language: 'ts',
        text: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${literal(baseUrl)}, apiKey: ${literal(key)} })
const stream = await client.chat.completions.create({
  model: ${literal(model)},
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`,
      },
    ],
  },
  {
    id: 'ai-sdk',
    name: 'Vercel AI SDK',
    kind: 'library',
    npm: '@ai-sdk/openai-compatible',
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'module',
        packages: 'ai @ai-sdk/openai-compatible',
        language: 'ts',
        text: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'

const studio = createOpenAICompatible({
  name: ${literal(provider)},
  baseURL: ${literal(baseUrl)},
  apiKey: ${literal(key)},
  includeUsage: true,
})
const { textStream } = streamText({ model: studio(${literal(model)}), prompt: 'Hello', maxRetries: 0 })
for await (const text of textStream) process.stdout.write(text)`,
      },
    ],
    // No response can disable the retry loop of this library. The official libraries respect the header `x-should-retry`.
    note: 'ownRetries',
  },
  {
    id: 'langchain',
    name: 'LangChain',
    kind: 'library',
    npm: '@langchain/openai',
    verified: true,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'module',
        packages: '@langchain/openai @langchain/core',
        language: 'ts',
        text: `import { ChatOpenAI } from '@langchain/openai'

const model = new ChatOpenAI({
  model: ${literal(model)},
  apiKey: ${literal(key)},
  configuration: { baseURL: ${literal(baseUrl)} },
  maxRetries: 0,
})
for await (const chunk of await model.stream('Hello')) process.stdout.write(chunk.text)`,
      },
    ],
    // No response can disable the retry loop of this library. The official libraries respect the header `x-should-retry`.
    note: 'ownRetries',
  },
  {
    id: 'llm',
    name: 'llm (Simon Willison)',
    kind: 'shell',
    npm: null,
    verified: false,
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'onceKey',
        language: 'sh',
        text: `llm keys set ${provider} --value ${shellWord(key)}`,
      },
      {
        about: 'llmModels',
        language: 'yaml',
        text: `- model_id: ${provider}
  model_name: ${literal(model)}
  api_base: ${literal(baseUrl)}
  api_key_name: ${provider}`,
      },
      { about: 'finally', language: 'sh', text: `llm -m ${provider} 'Hello'` },
    ],
  },
]
