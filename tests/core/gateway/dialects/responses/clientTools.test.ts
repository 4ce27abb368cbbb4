import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  argumentsOf,
  type ClientToolKind,
  clientTools,
  readClientCall,
} from '../../../../../src-main/core/gateway/dialects/responses/clientTools.ts'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject, ResponsesContext } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { eventsIn } from '../../../../helpers/replies.ts'
import { chunk, details, piece, sentEvents, translated, wireOf } from './chatStream.ts'

const kinds: ClientToolKind[] = ['shell', 'local_shell', 'apply_patch']
const request = (more: JsonObject = {}): JsonObject => ({
  model: 'm',
  input: 'Go',
  tools: kinds.map((type) => ({ type })),
  ...more,
})
type Item = JsonObject & { type: string; status: string }

/** The events and the items of a reply in which the model calls one tool. */
function called(name: string, args: string, finish = 'tool_calls', body = request()) {
  const notes: string[] = []
  const reply = translateResponses(body).openReply({ ...details, report: (note) => notes.push(note) }, false)
  const [head, tail] = [args.slice(0, 5), args.slice(5)]
  const chunks = [chunk(piece(0, head, 'call_1', name)), chunk(piece(0, tail)), chunk({}, finish)]
  const events = sentEvents(translated(reply, eventsIn(Buffer.from(wireOf(chunks)))))
  const { output } = reply.result() as { output: Item[] }
  return { events, item: output[0] as Item, notes }
}

const shellAction = { commands: ['ls', 'pwd'], timeout_ms: 1000, max_output_length: null }
const execAction = {
  type: 'exec',
  command: ['ls', '-l'],
  env: { A: 'b' },
  timeout_ms: null,
  working_directory: '/',
  user: null,
}
const update = { type: 'update_file', path: 'a.txt', diff: '@@\n-a\n+b' }

describe('a tool that the app runs', () => {
  it('becomes a function with a schema, and has the place of the tool in the response', () => {
    const { chat, ignored, context } = translateResponses(request())
    expect(chat.tools).toMatchObject([
      { type: 'function', function: { name: 'shell', parameters: { required: ['commands'] } } },
      { type: 'function', function: { name: 'local_shell', parameters: { required: ['command'] } } },
      { type: 'function', function: { name: 'apply_patch', parameters: { required: ['type', 'path'] } } },
    ])
    expect(ignored).toEqual([])
    expect(JSON.parse((context as ResponsesContext).echo)).toMatchObject({ tools: kinds.map((type) => ({ type })) })
  })

  it('can be there beside a function of the same name, and each call finds its own', () => {
    const tools = [{ type: 'function', name: 'shell', parameters: {} }, { type: 'shell' }]
    const both = request({ tools })
    const names = (translateResponses(both).chat.tools as { function: { name: string } }[]).map(
      (tool) => tool.function.name,
    )
    expect(new Set(names).size).toBe(2)
    const args = JSON.stringify({ commands: ['ls'] })
    expect(names.map((name) => called(name, args, 'tool_calls', both).item.type)).toEqual([
      'function_call',
      'shell_call',
    ])
  })

  it('is left out and named when it runs at OpenAI', () => {
    for (const environment of [{ type: 'container_auto' }, { type: 'container_reference', container_id: 'c' }]) {
      const { chat, ignored } = translateResponses(request({ tools: [{ type: 'shell', environment }] }))
      expect([chat.tools, ignored]).toEqual([undefined, ['tools.shell']])
    }
    const local = { type: 'local', skills: [{ name: 's', description: 'd', path: '/s' }] }
    const { ignored } = translateResponses(request({ tools: [{ type: 'shell', environment: local }] }))
    expect(ignored).toEqual(['tools.environment.skills'])
  })

  it('can be demanded, alone or as one of several', () => {
    const choice = { type: 'function', function: { name: 'apply_patch' } }
    expect(translateResponses(request({ tool_choice: { type: 'apply_patch' } })).chat.tool_choice).toEqual(choice)
    const some = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'shell' }] }
    const { chat } = translateResponses(request({ tool_choice: some }))
    expect([chat.tools, chat.tool_choice]).toMatchObject([[{ function: { name: 'shell' } }], 'required'])
    expect(() => translateResponses(request({ tools: [], tool_choice: { type: 'shell' } }))).toThrow(/not available/)
  })
})

describe('a call', () => {
  it.each([
    ['shell', JSON.stringify(shellAction), { action: shellAction, environment: { type: 'local' } }],
    ['shell', '{"commands":"ls"}', { action: { commands: ['ls'], timeout_ms: null, max_output_length: null } }],
    ['local_shell', JSON.stringify(execAction), { action: execAction }],
    ['apply_patch', JSON.stringify(update), { operation: update }],
    ['apply_patch', JSON.stringify({ operation: update }), { operation: update }],
    ['apply_patch', '{"type":"delete_file","path":"a"}', { operation: { type: 'delete_file', path: 'a' } }],
  ])('of %s with %s comes back in its own item type, whole when it is done', (name, args, members) => {
    const { events, item, notes } = called(name, args)
    expect(item).toMatchObject({ type: `${name}_call`, call_id: 'call_1', status: 'completed', ...members })
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events[3]?.item).toEqual(item)
    expect(events[2]?.item).toMatchObject({ type: `${name}_call`, status: 'in_progress' })
    expect(notes).toEqual([])
  })

  it.each([
    ['shell', '{"commands":[]}'],
    ['shell', '{"commands":["ls",7]}'],
    ['shell', 'ls -l'],
    ['local_shell', '{"cmd":["ls"]}'],
    ['apply_patch', '{"type":"update_file","path":"a"}'],
    ['apply_patch', '{"type":"move_file","path":"a","diff":""}'],
    ['apply_patch', '{"type":"delete_file","path":""}'],
    ['apply_patch', '["delete_file"]'],
  ] as [ClientToolKind, string][])('of %s that can’t be read (%s) has nothing to run', (name, args) => {
    const { item, notes } = called(name, args)
    const { member, empty } = clientTools[name]
    expect(item[member]).toEqual(empty)
    expect(notes).toEqual(['The arguments of a tool call can’t be read. The call has nothing to run.'])
  })

  it('that was cut off is never reported as done', () => {
    for (const name of kinds) {
      const { events, item } = called(name, '{"commands":["rm', 'length')
      expect(events.map(({ type }) => type)).not.toContain('response.output_item.done')
      expect(item[clientTools[name].member]).toEqual(clientTools[name].empty)
    }
  })

  it('with any arguments has only what its type has', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.oneof(fc.json(), fc.string()), (kind, args) => {
        const read = readClientCall(kind, args)
        const given = called(kind, args.padEnd(6)).item[clientTools[kind].member]
        expect(given).toEqual(read ?? clientTools[kind].empty)
      }),
    )
  })
})

describe('the history', () => {
  const history = (...items: object[]) =>
    translateResponses(request({ input: [{ role: 'user', content: 'Go' }, ...items] }))
  const call = (kind: ClientToolKind, value: object): JsonObject => ({
    type: `${kind}_call`,
    call_id: 'c',
    status: 'completed',
    [clientTools[kind].member]: value,
  })

  it.each([
    ['shell', shellAction, '{"commands":["ls","pwd"],"timeout_ms":1000}'],
    ['local_shell', execAction, '{"command":["ls","-l"],"env":{"A":"b"},"working_directory":"/"}'],
    ['apply_patch', update, JSON.stringify(update)],
  ] as [ClientToolKind, object, string][])('has a call of %s as the model wrote it', (kind, value, args) => {
    const output = kind === 'local_shell' ? { id: 'c', output: 'x' } : { call_id: 'c', output: [], status: 'completed' }
    const { chat, ignored } = history(call(kind, value), { type: `${kind}_call_output`, ...output })
    expect(chat.messages[1]).toMatchObject({ tool_calls: [{ id: 'c', function: { name: kind, arguments: args } }] })
    expect(chat.messages[2]).toMatchObject({ role: 'tool', tool_call_id: 'c' })
    expect(ignored).toEqual([])
  })

  it.each([
    [
      'shell',
      {
        output: [
          { stdout: 'a\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
          { stdout: '', stderr: 'no\n', outcome: { type: 'timeout' } },
        ],
      },
      'a\n\nExit code: 0\n\nStandard error:\nno\n\nStopped: it took too long.',
    ],
    ['shell', { output: [] }, 'No command ran.'],
    ['shell', { output: 'plain' }, 'plain'],
    ['apply_patch', { status: 'completed' }, 'The patch was applied.'],
    ['apply_patch', { status: 'failed' }, 'The patch failed.'],
    ['apply_patch', { status: 'failed', output: 'No such file' }, 'No such file'],
  ] as [ClientToolKind, object, string][])('tells the model the output of %s: %j', (kind, output, words) => {
    const value = kind === 'shell' ? shellAction : update
    const { chat } = history(call(kind, value), { type: `${kind}_call_output`, call_id: 'c', ...output })
    expect(chat.messages[2]).toEqual({ role: 'tool', tool_call_id: 'c', content: words })
  })

  it('gives back the arguments that became the call', () => {
    for (const [kind, args] of [
      ['shell', { commands: ['ls'] }],
      ['local_shell', { command: ['ls'], env: {} }],
      ['apply_patch', update],
    ] as [ClientToolKind, object][]) {
      const read = readClientCall(kind, JSON.stringify(args))
      expect(JSON.parse(argumentsOf(kind, { [clientTools[kind].member]: read }))).toEqual(args)
    }
  })

  it('without a result of a call is refused, as for functions', () => {
    expect(() => history(call('shell', shellAction))).toThrow(/No tool output found/)
  })
})

describe('a search for tools that the app runs', () => {
  const search = {
    type: 'tool_search',
    execution: 'client',
    description: 'Searches the tools of MCP servers.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  }
  const found = {
    type: 'namespace',
    name: 'mcp__studio',
    description: 'Speech and images',
    tools: [
      { type: 'function', name: 'speak', description: 'Speaks', parameters: { type: 'object' }, defer_loading: true },
    ],
  }
  const history = [
    { type: 'message', role: 'user', content: 'Speak' },
    {
      type: 'tool_search_call',
      execution: 'client',
      call_id: 'c1',
      status: 'completed',
      arguments: { query: 'speak' },
    },
    { type: 'tool_search_output', execution: 'client', call_id: 'c1', status: 'completed', tools: [found] },
  ]

  it('becomes a function with the words of the app, and its call comes back with its arguments', () => {
    const body = request({ tools: [search] })
    const { chat, ignored } = translateResponses(body)
    const { description, parameters } = search
    expect(chat.tools).toEqual([{ type: 'function', function: { name: 'tool_search', description, parameters } }])
    expect(ignored).toEqual([])
    const { item } = called('tool_search', '{"query":"speak","limit":3}', 'tool_calls', body)
    expect(item).toMatchObject({
      type: 'tool_search_call',
      execution: 'client',
      call_id: 'call_1',
      status: 'completed',
      arguments: { query: 'speak', limit: 3 },
    })
  })

  it('makes the found tools available to the requests that follow, once, and their calls find their namespace', () => {
    const again = history.slice(1).map((item) => ({ ...item, call_id: 'c2' }))
    const body = request({ tools: [search], input: [...history, ...again] })
    const { chat } = translateResponses(body)
    const names = (chat.tools as { function: { name: string } }[]).map((tool) => tool.function.name)
    expect(names).toEqual(['tool_search', 'mcp__studio__speak'])
    expect(chat.messages).toMatchObject([
      { role: 'user' },
      { tool_calls: [{ id: 'c1', function: { name: 'tool_search', arguments: '{"query":"speak"}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'These tools can be called now: mcp__studio__speak' },
      { tool_calls: [{ id: 'c2' }] },
      { role: 'tool', tool_call_id: 'c2' },
    ])
    const { item } = called('mcp__studio__speak', '{}', 'tool_calls', body)
    expect(item).toMatchObject({ type: 'function_call', namespace: 'mcp__studio', name: 'speak' })
  })

  it('says that nothing was found', () => {
    const [user, call, output] = history
    const { chat } = translateResponses(request({ tools: [search], input: [user, call, { ...output, tools: [] }] }))
    expect((chat.messages as { content: unknown }[]).at(-1)?.content).toBe('No tool was found.')
  })

  it('is left out and named when it runs at OpenAI', () => {
    const input = history.map(({ execution: _, call_id: __, ...item }: JsonObject) => item)
    const { chat, ignored } = translateResponses(request({ tools: [{ type: 'tool_search' }], input }))
    expect(chat.tools).toBeUndefined()
    expect(chat.messages).toEqual([{ role: 'user', content: 'Speak' }])
    expect(ignored).toEqual(['tools.tool_search', 'input.tool_search_call', 'input.tool_search_output'])
  })
})
