import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { details } from './chatStream.ts'

const translate = (tools: unknown, more: JsonObject = {}) =>
  translateResponses({ model: 'm', input: 'x', tools, ...more })
const look = { type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object' }, strict: true }
const write = { type: 'custom', name: 'write', description: 'Writes.' }
const box = {
  type: 'namespace',
  name: 'box',
  description: 'Boxes.',
  tools: [
    { type: 'function', name: 'open', description: 'Opens.' },
    { type: 'custom', name: 'label' },
  ],
}
const names = (request: ReturnType<typeof translate>): unknown[] =>
  ((request.chat.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name)
const refusedParam = (run: () => unknown): string | null => {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof DialectError) return thrown.problem.param
    throw thrown
  }
  return null
}

describe('tools', () => {
  it('of the type function are sent as they are', () => {
    const { type: _, ...sent } = look
    expect(translate([look]).chat.tools).toEqual([{ type: 'function', function: sent }])
  })

  it('of the type custom become functions with one text, and the model reads the grammar', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }
    expect(translate([{ ...write, format }]).chat.tools).toMatchObject([
      {
        function: {
          name: 'write',
          description: 'Writes.\n\nThe input must match this Lark grammar:\nstart: "a"',
          parameters: { properties: { input: { type: 'string' } }, required: ['input'], additionalProperties: false },
        },
      },
    ])
  })

  it('of a namespace have joined names and both descriptions', () => {
    const { chat } = translate([box])
    expect(chat.tools).toMatchObject([
      { function: { name: 'box__open', description: 'Boxes.\n\nOpens.' } },
      { function: { name: 'box__label', description: 'Boxes.' } },
    ])
  })

  it('have names that chat completions accept, each one unique', () => {
    const long = 'n'.repeat(60)
    const request = translate([
      {
        type: 'namespace',
        name: 'a.b',
        tools: [
          { type: 'function', name: long },
          { type: 'function', name: `${long}x` },
        ],
      },
      { type: 'function', name: 'c__d' },
      { type: 'namespace', name: 'c', tools: [{ type: 'function', name: 'd' }] },
      { type: 'namespace', name: 'mcp__x__', tools: [{ type: 'function', name: 'd' }] },
    ])
    expect(new Set(names(request)).size).toBe(5)
    expect(names(request).slice(2)).toEqual(['c__d', 'c__d_2', 'mcp__x__d'])
    for (const name of names(request)) expect(name).toMatch(/^[\w-]{1,64}$/)
  })

  it('of the type function keep their own name for the app when services would refuse it', () => {
    const own = `mcp.${'n'.repeat(70)}`
    const call = { type: 'function_call', call_id: 'a', name: own, arguments: '{}' }
    const output = { type: 'function_call_output', call_id: 'a', output: 'x' }
    const request = translate([{ type: 'function', name: own }], {
      input: [{ role: 'user', content: 'x' }, call, output],
      tool_choice: { type: 'function', name: own },
    })
    const [sent] = names(request)
    expect(sent).toMatch(/^[\w-]{1,64}$/)
    expect(request.chat.messages[1]).toMatchObject({ tool_calls: [{ function: { name: sent } }] })
    expect(request.chat.tool_choice).toEqual({ type: 'function', function: { name: sent } })
    const tool_calls = [{ id: 'b', type: 'function', function: { name: sent, arguments: '{}' } }]
    expect(wholeReply(request, { choices: [{ message: { tool_calls } }] }, details)).toMatchObject({
      output: [{ type: 'function_call', name: own }],
    })
  })

  it('that OpenAI runs are left out and named', () => {
    const request = translate([
      look,
      { type: 'web_search' },
      { type: 'mcp', server_label: 'x' },
      { type: 'web_search' },
    ])
    expect(names(request)).toEqual(['look'])
    expect(request.ignored).toEqual(['tools.web_search', 'tools.mcp'])
  })

  it('have their options without effect named', () => {
    expect(translate([{ ...look, defer_loading: true, allowed_callers: ['direct'] }]).ignored).toEqual([
      'tools.defer_loading',
      'tools.allowed_callers',
    ])
  })

  it('are not sent, nor their parameters, when none is left', () => {
    const { chat } = translate([{ type: 'web_search' }], { tool_choice: 'auto', parallel_tool_calls: true })
    expect(chat).not.toHaveProperty('tools')
    expect(chat).not.toHaveProperty('tool_choice')
    expect(chat).not.toHaveProperty('parallel_tool_calls')
  })

  it('are passed with parallel_tool_calls', () => {
    expect(translate([look], { parallel_tool_calls: false }).chat.parallel_tool_calls).toBe(false)
  })

  it.each([
    ['two with one name', [look, { ...write, name: 'look' }], 'tools[1].name'],
    ['one without name', [{ type: 'function' }], 'tools[0].name'],
    ['one without type', [{ name: 'x' }], 'tools[0].type'],
    ['parameters that are not an object', [{ ...look, parameters: 'x' }], 'tools[0].parameters'],
    ['an unknown format', [{ ...write, format: { type: 'xml' } }], 'tools[0].format.type'],
    ['a nested tool that is wrong', [{ ...box, tools: [{ type: 'function' }] }], 'tools[0].tools[0].name'],
    ['no list', {}, 'tools'],
  ])('are refused for %s', (_, tools, param) => {
    expect(refusedParam(() => translate(tools))).toBe(param)
  })
})

describe('tool_choice', () => {
  const choose = (tool_choice: unknown) => translate([look, write, box, { type: 'web_search' }], { tool_choice })

  it.each(['auto', 'none', 'required'])('%s is passed', (choice) => {
    expect(choose(choice).chat.tool_choice).toBe(choice)
  })

  it.each([
    [{ type: 'function', name: 'look' }, 'look'],
    [{ type: 'custom', name: 'write' }, 'write'],
    [{ type: 'function', name: 'open', namespace: 'box' }, 'box__open'],
    [{ type: 'function', name: 'open' }, 'box__open'],
  ])('%j names the function', (choice, name) => {
    expect(choose(choice).chat.tool_choice).toEqual({ type: 'function', function: { name } })
  })

  it('allowed_tools sends only these', () => {
    const tools = [{ type: 'custom', name: 'write' }, { type: 'namespace', name: 'box' }, { type: 'web_search' }]
    const request = choose({ type: 'allowed_tools', mode: 'required', tools })
    expect(names(request)).toEqual(['write', 'box__open', 'box__label'])
    expect(request.chat.tool_choice).toBe('required')
  })

  it.each([
    [{ type: 'web_search_preview' }, 'tool_choice.type'],
    [{ type: 'function', name: 'no_such' }, 'tool_choice.name'],
    [{ type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] }, 'tool_choice.mode'],
    [
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'no_such' }] },
      'tool_choice.tools[0].name',
    ],
    ['sometimes', 'tool_choice'],
    [7, 'tool_choice'],
  ])('%j is refused', (choice, param) => {
    expect(refusedParam(() => choose(choice))).toBe(param)
  })

  it('required is refused when no tool is left', () => {
    expect(refusedParam(() => translate([{ type: 'web_search' }], { tool_choice: 'required' }))).toBe('tool_choice')
  })
})
