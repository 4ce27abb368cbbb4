import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { translate } from './helpers/streams.ts'

const paramOf = (changes: JsonObject): string | null => {
  try {
    translate(changes)
  } catch (thrown) {
    if (thrown instanceof DialectError) return thrown.problem.param
    throw thrown
  }
  throw new Error('The request was accepted.')
}
const tool = { name: 'read', description: 'Reads.', input_schema: { type: 'object', properties: {} } }
const sentTool = {
  type: 'function',
  function: { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } },
}

describe('parameters', () => {
  it('translates a plain request', () => {
    const { chat, stream, ignored } = translate({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ['END'],
    })
    expect(chat).toEqual({
      model: 'claude-x',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop: ['END'],
    })
    expect(stream).toBe(false)
    expect(ignored).toEqual([])
  })

  it('asks for the usage of a stream', () => {
    const { chat, stream } = translate({ stream: true })
    expect(stream).toBe(true)
    expect(chat).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  })

  it('treats null as absent', () => {
    const empty = ['temperature', 'stop_sequences', 'tools', 'tool_choice', 'system', 'thinking', 'output_config']
    const { chat, ignored } = translate(Object.fromEntries(empty.map((key) => [key, null])))
    expect(chat).toEqual(translate().chat)
    expect(ignored).toEqual([])
  })

  it('names what has no effect, once', () => {
    const cache_control = { type: 'ephemeral' }
    const { ignored } = translate({
      cache_control,
      context_management: { edits: [] },
      betas: ['x'],
      metadata: { user_id: 'u' },
      service_tier: 'auto',
      container: 'c',
      mcp_servers: [{ type: 'url', name: 'search', url: 'https://x.example' }],
      system: [{ type: 'text', text: 'a', cache_control }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'b', cache_control }] }],
      tools: [{ ...tool, cache_control }],
      shiny_new_field: 1,
    })
    expect([...ignored].sort()).toEqual([
      'betas',
      'cache_control',
      'container',
      'context_management',
      'mcp_servers.search',
      'metadata',
      'service_tier',
      'shiny_new_field',
    ])
  })

  it('keeps names from the request safe for a header', () => {
    const fields = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x\r\ny: ${index} é`, 1]))
    const { ignored } = translate(fields)
    expect(ignored.length).toBeLessThan(60)
    for (const name of ignored) expect(name).toMatch(/^[\w.-]{1,60}$/)
  })

  it.each([
    ['model', { model: 7 }],
    ['model', { model: '' }],
    ['stream', { stream: 'yes' }],
    ['max_tokens', { max_tokens: 0 }],
    ['max_tokens', { max_tokens: 1.5 }],
    ['max_tokens', { max_tokens: 2 ** 53 }],
    ['max_tokens', { max_tokens: '9' }],
    ['temperature', { temperature: '1' }],
    ['top_k', { top_k: Number.NaN }],
    ['stop_sequences', { stop_sequences: 'END' }],
    ['stop_sequences[1]', { stop_sequences: ['a', 1] }],
    ['messages', { messages: 'hi' }],
    ['tools', { tools: {} }],
    ['tools[0]', { tools: [1] }],
    ['tools[0].name', { tools: [{ input_schema: {} }] }],
    ['tools[0].input_schema', { tools: [{ name: 'a' }] }],
    ['tool_choice.type', { tools: [tool], tool_choice: { type: 'some' } }],
    ['output_config.effort', { output_config: { effort: 'huge' } }],
    ['output_config.format.type', { output_config: { format: { type: 'xml' } } }],
    ['thinking.type', { thinking: { type: 'deep' } }],
    ['mcp_servers', { mcp_servers: 'x' }],
    ['compaction', { compaction: { type: 'summarize' } }],
    ['thread', { thread: { type: 'continue', previous_message_id: 'msg_0' } }],
  ])('refuses a wrong %s', (param, changes) => {
    expect(paramOf(changes)).toBe(param)
  })

  it('refuses nesting that would overflow the stack later', () => {
    let schema: unknown = {}
    for (let depth = 0; depth < 20_000; depth++) schema = { properties: schema }
    expect(paramOf({ tools: [{ ...tool, input_schema: schema }] })).toBe('tools')
  })
})

interface Schema {
  properties: Record<string, JsonObject>
}

describe('tools', () => {
  it('translates custom tools and leaves out the tools of the vendor', () => {
    const { chat, ignored } = translate({
      tools: [
        { ...tool, type: 'custom', strict: true },
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'browser_toolset_20260801', name: 'browser' },
      ],
    })
    expect(chat.tools).toEqual([{ ...sentTool, function: { ...sentTool.function, strict: true } }])
    expect(ignored).toEqual(['tools.web_search_20250305', 'tools.browser_toolset_20260801'])
  })

  it('translates the tools that the client runs, with the parameters that their calls have', () => {
    const { chat, ignored } = translate({
      tools: [
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 },
        { type: 'text_editor_20250124', name: 'str_replace_editor' },
        { type: 'memory_20250818', name: 'memory' },
        { type: 'computer_20250124', name: 'computer', display_width_px: 1024, display_height_px: 768 },
        { type: 'computer_20251124', name: 'zoomer', display_width_px: 1, display_height_px: 1, enable_zoom: true },
      ],
    })
    expect(ignored).toEqual([])
    const functions = (chat.tools as { function: { name: string; description: string; parameters: Schema } }[]).map(
      (each) => each.function,
    )
    const members = (index: number) => Object.keys(functions[index]?.parameters.properties ?? {}).sort()
    const editing = ['command', 'file_text', 'insert_line', 'insert_text', 'new_str', 'old_str', 'path', 'view_range']
    expect(functions.map(({ name }) => name)).toEqual([
      ...['bash', 'str_replace_based_edit_tool', 'str_replace_editor', 'memory', 'computer', 'zoomer'],
    ])
    expect(members(0)).toEqual(['command', 'restart'])
    expect(members(1)).toEqual(editing)
    expect(members(2)).toEqual(editing.filter((each) => each !== 'insert_text'))
    expect(members(3)).toEqual([...editing, 'new_path', 'old_path'].sort())
    expect(functions[1]?.parameters.properties.command).toMatchObject({
      enum: ['view', 'create', 'str_replace', 'insert'],
    })
    expect(functions[2]?.parameters.properties.command).toMatchObject({ enum: expect.arrayContaining(['undo_edit']) })
    expect(functions[4]?.description).toContain('1024 x 768 pixels')
    expect(members(4)).not.toContain('region')
    expect(members(5)).toContain('region')
  })

  it.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'read' },
      { type: 'function', function: { name: 'read' } },
    ],
  ])('translates the choice %j', (choice, translated) => {
    expect(translate({ tools: [tool], tool_choice: choice }).chat.tool_choice).toEqual(translated)
  })

  it('translates disable_parallel_tool_use', () => {
    const chatOf = (disabled: boolean) =>
      translate({ tools: [tool], tool_choice: { type: 'auto', disable_parallel_tool_use: disabled } }).chat
    expect(chatOf(true).parallel_tool_calls).toBe(false)
    expect(chatOf(false).parallel_tool_calls).toBe(true)
  })

  it('refuses a choice of a tool that was left out, and sends no choice without tools', () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    expect(paramOf({ tools, tool_choice: { type: 'tool', name: 'web_search' } })).toBe('tool_choice.name')
    expect(paramOf({ tools, tool_choice: { type: 'any' } })).toBe('tool_choice')
    const { chat } = translate({ tools, tool_choice: { type: 'auto', disable_parallel_tool_use: true } })
    expect(chat).toEqual(translate().chat)
  })
})

describe('thinking and output', () => {
  it.each([
    [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }, 'low', []],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, 'medium', []],
    [{ thinking: { type: 'enabled', budget_tokens: 32_000 } }, 'high', []],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }, 'medium', ['thinking.adaptive']],
    [
      { thinking: { type: 'enabled', budget_tokens: 2_000 }, output_config: { effort: 'high' } },
      'high',
      ['thinking.budget_tokens'],
    ],
    [{ output_config: { effort: 'max' } }, 'high', ['output_config.effort.max']],
    [{ thinking: { type: 'disabled' } }, undefined, ['thinking.disabled']],
  ])('%j becomes the effort %s', (changes, effort, ignored) => {
    const translated = translate(changes)
    expect(translated.chat.reasoning_effort).toBe(effort)
    expect(translated.ignored).toEqual(ignored)
  })

  it('translates both fields of the output format', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } }
    const sent = { type: 'json_schema', json_schema: { name: 'output', schema: { type: 'object' }, strict: true } }
    expect(translate({ output_config: { format } }).chat.response_format).toEqual(sent)
    expect(translate({ output_format: format }).chat.response_format).toEqual(sent)
    const both = translate({ output_config: { format }, output_format: { ...format, schema: {} } })
    expect(both.chat.response_format).toEqual(sent)
    expect(both.ignored).toEqual(['output_format'])
  })
})
