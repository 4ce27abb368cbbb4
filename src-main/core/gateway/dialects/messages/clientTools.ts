import type { Fields } from '../../../upstream/json/values.ts'
import type { JsonObject } from '../types.ts'

/**
 * A tool of the vendor that the client runs, as a function. Its calls and results are ordinary `tool_use` and `tool_result` blocks, so only
 * the definition needs a translation.
 */
export interface ClientTool {
  description: string
  parameters: JsonObject
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const integer = (description: string): JsonObject => ({ type: 'integer', description })
const integers = (count: number, description: string): JsonObject => ({
  type: 'array',
  items: { type: 'integer' },
  minItems: count,
  maxItems: count,
  description,
})
const choice = (values: readonly string[], description: string): JsonObject => ({
  type: 'string',
  enum: values,
  description,
})
const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
})

const path = text('Absolute path of the file or directory.')
const viewRange = integers(
  2,
  'For view of a file: first and last line, from 1. The last may be -1, the end of the file.',
)

const bash: ClientTool = {
  description: 'Runs commands in a bash shell that keeps its state between calls.',
  parameters: object(
    {
      command: text('The command to run. Required unless the shell is restarted.'),
      restart: { type: 'boolean', description: 'Whether to restart the shell.' },
    },
    [],
  ),
}

function editor(commands: readonly string[], inserted: 'insert_text' | 'new_str'): ClientTool {
  const own = inserted === 'insert_text' ? { insert_text: text('For insert: the text to insert.') } : {}
  return {
    description:
      'Views, creates and edits text files. str_replace replaces a text that must occur exactly once. insert adds a text after a line.',
    parameters: object(
      {
        command: choice(commands, 'What to do.'),
        path,
        file_text: text('For create: the content of the new file.'),
        old_str: text('For str_replace: the text to replace, with its white space.'),
        new_str: text(
          inserted === 'new_str' ? 'For str_replace and insert: the new text.' : 'For str_replace: the new text.',
        ),
        insert_line: integer('For insert: the line after which the text is inserted. 0 is the beginning of the file.'),
        ...own,
        view_range: viewRange,
      },
      ['command', 'path'],
    ),
  }
}

const editorCommands = ['view', 'create', 'str_replace', 'insert']

const memory: ClientTool = {
  description:
    'Stores and retrieves information across conversations as files below /memories. View this directory before a task to see earlier progress.',
  parameters: object(
    {
      command: choice([...editorCommands, 'delete', 'rename'], 'What to do.'),
      path: text('Path below /memories, for every command but rename.'),
      file_text: text('For create: the content of the file.'),
      old_str: text('For str_replace: the text to replace.'),
      new_str: text('For str_replace: the new text.'),
      insert_line: integer('For insert: the line after which the text is inserted. 0 is the beginning of the file.'),
      insert_text: text('For insert: the text to insert.'),
      old_path: text('For rename: the path now.'),
      new_path: text('For rename: the new path.'),
      view_range: viewRange,
    },
    ['command'],
  ),
}

const firstActions = [
  ...['key', 'type', 'mouse_move', 'left_click', 'left_click_drag', 'right_click', 'middle_click', 'double_click'],
  ...['screenshot', 'cursor_position'],
]
const secondActions = [
  ...firstActions,
  ...['left_mouse_down', 'left_mouse_up', 'triple_click', 'scroll', 'hold_key', 'wait'],
]

function computer(
  actions: readonly string[],
  { display_width_px: width, display_height_px: height }: Fields,
): ClientTool {
  const size = typeof width === 'number' && typeof height === 'number' ? ` of ${width} x ${height} pixels` : ''
  const all: JsonObject = {
    action: choice(actions, 'What to do.'),
    coordinate: integers(2, 'x and y in pixels from the upper left corner.'),
    text: text(
      'For type: the text. For key and hold_key: the key or keys, such as ctrl+s. For clicks and scroll: a key to hold.',
    ),
  }
  if (actions.includes('scroll')) {
    all.start_coordinate = integers(2, 'For left_click_drag: where the drag begins.')
    all.scroll_direction = choice(['up', 'down', 'left', 'right'], 'For scroll: the direction.')
    all.scroll_amount = integer('For scroll: the number of clicks of the wheel.')
    all.duration = { type: 'number', description: 'For hold_key and wait: the time in seconds.' }
  }
  if (actions.includes('zoom')) all.region = integers(4, 'For zoom: left, upper, right and lower edge in pixels.')
  return {
    description: `Controls a screen${size} with mouse and keyboard, and takes screenshots. Take one to see the effect of an action.`,
    parameters: object(all, ['action']),
  }
}

const editorWithUndo = editor([...editorCommands, 'undo_edit'], 'new_str')

const definitions: ReadonlyMap<string, (tool: Fields) => ClientTool> = new Map([
  ['bash_20241022', () => bash],
  ['bash_20250124', () => bash],
  ['text_editor_20241022', () => editorWithUndo],
  ['text_editor_20250124', () => editorWithUndo],
  ['text_editor_20250429', () => editor(editorCommands, 'new_str')],
  ['text_editor_20250728', () => editor(editorCommands, 'insert_text')],
  ['memory_20250818', () => memory],
  ['computer_20241022', (tool: Fields) => computer(firstActions, tool)],
  ['computer_20250124', (tool: Fields) => computer(secondActions, tool)],
  [
    'computer_20251124',
    (tool: Fields) => computer(tool.enable_zoom === true ? [...secondActions, 'zoom'] : secondActions, tool),
  ],
])

/** Settings of client tools that the client itself follows, or that are part of the description. */
export const clientToolKeys: ReadonlySet<string> = new Set([
  ...['type', 'name', 'max_characters', 'display_width_px', 'display_height_px', 'display_number', 'enable_zoom'],
])

/** The function for a client tool of the vendor, or null for a type that is none. */
export const clientTool = (tool: Fields): ClientTool | null =>
  typeof tool.type === 'string' ? (definitions.get(tool.type)?.(tool) ?? null) : null
