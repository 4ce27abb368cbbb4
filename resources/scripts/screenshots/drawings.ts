// Draws menus and dialogs from their models, because no system draws them here.
import type { MessageBoxOptions } from 'electron'

/** One entry of a menu. */
export interface DrawnItem {
  label: string
  /** A standard entry of the system, which brings its own name and shortcut. */
  role: string | null
  type: string
  enabled: boolean
  accelerator: string | null
  submenu: DrawnItem[] | null
}

/** Models that the program has given to the system. */
export interface Drawn {
  tray: { toolTip: string; items: DrawnItem[] }
  application: DrawnItem[]
  /** Menus of right clicks. */
  context: DrawnItem[][]
  dialogs: MessageBoxOptions[]
}

/** Names and shortcuts that Electron gives to roles on Linux. See "Roles" in Electron's documentation of MenuItem. */
const roles: Record<string, [name: string, keys?: string]> = {
  undo: ['Undo', 'Ctrl+Z'],
  redo: ['Redo', 'Ctrl+Shift+Z'],
  cut: ['Cut', 'Ctrl+X'],
  copy: ['Copy', 'Ctrl+C'],
  paste: ['Paste', 'Ctrl+V'],
  delete: ['Delete'],
  selectAll: ['Select All', 'Ctrl+A'],
  reload: ['Reload', 'Ctrl+R'],
  resetZoom: ['Actual Size', 'Ctrl+0'],
  zoomIn: ['Zoom In', 'Ctrl++'],
  zoomOut: ['Zoom Out', 'Ctrl+-'],
  togglefullscreen: ['Toggle Full Screen', 'F11'],
  toggleDevTools: ['Toggle Developer Tools', 'Ctrl+Shift+I'],
  minimize: ['Minimize', 'Ctrl+M'],
  zoom: ['Zoom'],
  close: ['Close Window', 'Ctrl+W'],
  quit: ['Quit', 'Ctrl+Q'],
  editMenu: ['Edit'],
  windowMenu: ['Window'],
  help: ['Help'],
}

/** Entries of the menus that are roles as a whole. */
const roleMenus: Record<string, string[]> = {
  editMenu: ['undo', 'redo', '-', 'cut', 'copy', 'paste', 'delete', '-', 'selectAll'],
  windowMenu: ['minimize', 'zoom', 'close'],
}

const ofRole = (role: string): DrawnItem => ({
  label: '',
  role: role === '-' ? null : role,
  type: role === '-' ? 'separator' : 'normal',
  enabled: true,
  accelerator: null,
  submenu: null,
})

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** `&&` in a label is the character, and a single `&` marks a key. */
const nameOf = ({ label, role }: DrawnItem): string =>
  label === '' ? (roles[role ?? '']?.[0] ?? role ?? '') : label.replaceAll('&&', '&')

const keysOf = ({ accelerator, role }: DrawnItem): string =>
  (accelerator ?? roles[role ?? '']?.[1] ?? '').replace('CmdOrCtrl', 'Ctrl')

function menu(items: readonly DrawnItem[]): string {
  const entries = items.map((item) => {
    if (item.type === 'separator') return '<hr>'
    const below = item.submenu ?? roleMenus[item.role ?? '']?.map(ofRole) ?? null
    const end = below ? '▸' : escaped(keysOf(item))
    return `<li${item.enabled ? '' : ' class="off"'}><span>${escaped(nameOf(item))}</span><kbd>${end}</kbd></li>`
  })
  return `<ul>${entries.join('')}</ul>`
}

const block = (title: string, content: string): string => `<section><h2>${escaped(title)}</h2>${content}</section>`

function dialog({ type, message, detail = '', buttons = [], defaultId = 0 }: MessageBoxOptions): string {
  const sign = { question: '?', warning: '!', error: '×', info: 'i', none: '' }[type ?? 'none'] ?? ''
  const choices = buttons.map(
    (name, at) => `<button${at === defaultId ? ' class="first"' : ''}>${escaped(name)}</button>`,
  )
  return `<div class="dialog"><i>${sign}</i><div><b>${escaped(message)}</b><p>${escaped(detail)}</p>
    <footer>${choices.join('')}</footer></div></div>`
}

/** A page with the drawings of one part. */
export function drawModels({ tray, application, context, dialogs }: Drawn, part: 'menus' | 'dialogs'): string {
  const content =
    part === 'dialogs'
      ? dialogs.map((one) => block(one.type === 'error' ? 'Error box' : 'Question', dialog(one)))
      : [
          block('Tray', `${menu(tray.items)}<p class="tip">${escaped(tray.toolTip).replaceAll('\n', '<br>')}</p>`),
          ...tray.items.flatMap((item) => (item.submenu ? [block(`Tray: ${nameOf(item)}`, menu(item.submenu))] : [])),
          ...application.map((item) =>
            block(`Menu: ${nameOf(item)}`, menu(item.submenu ?? roleMenus[item.role ?? '']?.map(ofRole) ?? [])),
          ),
          ...context.map((items) => block('Right click', menu(items))),
        ]
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Drawing</title><style>${style}</style>
    <p class="note">Drawn from the models that the program gives to the system, recorded on Linux. Not a photograph: each system draws
    menus and dialogs in its own style, and names the standard entries itself.</p><main>${content.join('')}</main></html>`
}

const style = `
  :root { color-scheme: light dark }
  body { margin: 20px; font: 13px/1.4 sans-serif; background: light-dark(#e9e9ec, #1b1b1e); color: light-dark(#1c1c1f, #ececef) }
  .note { margin: 0 0 16px; max-width: 90ch; color: light-dark(#55555c, #a5a5ad) }
  main { display: flex; flex-wrap: wrap; gap: 20px; align-items: start }
  .tip { margin: 10px 0 0; padding: 5px 9px; border-radius: 5px; background: light-dark(#333338, #46464e); color: #fff; width: max-content }
  h2 { margin: 0 0 6px; font-size: 12px; font-weight: 600; color: light-dark(#55555c, #a5a5ad) }
  ul { margin: 0; padding: 5px; min-width: 200px; list-style: none }
  ul, .dialog { border: 1px solid light-dark(#c9c9cf, #3c3c42); border-radius: 8px; background: light-dark(#fff, #29292d);
    box-shadow: 0 6px 18px #0003 }
  li { display: flex; justify-content: space-between; gap: 28px; padding: 4px 10px; white-space: nowrap }
  li.off, kbd { color: light-dark(#6d6d75, #9a9aa3) }
  kbd { font: inherit; font-size: 12px }
  hr { margin: 5px 8px; border: 0; border-top: 1px solid light-dark(#dddde2, #3c3c42) }
  .dialog { display: flex; gap: 14px; width: 420px; padding: 18px; box-sizing: border-box }
  .dialog i { flex: none; width: 32px; height: 32px; border-radius: 50%; background: light-dark(#dfe5fb, #333a55); font: 600 18px/32px sans-serif;
    text-align: center }
  .dialog p { margin: 6px 0 14px }
  footer { display: flex; gap: 8px; justify-content: end; flex-wrap: wrap }
  button { padding: 5px 14px; border: 1px solid light-dark(#c9c9cf, #4a4a52); border-radius: 6px; background: light-dark(#f6f6f8, #35353a);
    color: inherit; font: inherit }
  button.first { border-color: light-dark(#2f5fe0, #7d9bff); background: light-dark(#2f5fe0, #3c5bd0); color: #fff }
`
