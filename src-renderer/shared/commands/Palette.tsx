import { isComposing } from '../isComposing.ts'
import './commands.css'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { VList, type VListHandle } from 'virtua'
import { allGroups } from '../../i18n/groups.ts'
import { localStore } from '../storage.ts'
import { Dialog, useModal } from '../ui/Dialog.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import { isMac } from '../ui/platform.ts'
import { WithTexts } from '../WithTexts.tsx'
import { keysOf, type Shortcuts } from './bindings.ts'
import { runOutsideDrawers } from './dispatch.ts'
import { keysOfPress, showKeys } from './keys.ts'
import { closeLayer, useLayer } from './layers.ts'
import { catalogue, type Entry, entryAfter, finder, type PaletteLine, pieces } from './matching.ts'
import { commandStore } from './registry.ts'
import { ShortcutList } from './ShortcutList.tsx'
import { sourceStore } from './sources.ts'
import { useShortcuts } from './useKeys.ts'

const close = (): void => closeLayer('palette')

/** Finds commands, chats and models by name. */
export function Palette() {
  const { t } = useTranslation('palette')
  const open = useLayer() === 'palette'
  const { props } = useModal(open, close)
  return (
    <dialog {...props} aria-label={t('title')} className="palette">
      {open && <Content />}
    </dialog>
  )
}

function Content() {
  const { t } = useTranslation('palette')
  const shortcuts = useShortcuts()
  // Computed once when the palette opens. If the list changed under the arrow keys, a person could run the wrong entry.
  const find = useMemo(
    () => finder(catalogue(commandStore.getState().commands.values(), sourceStore.getState().sources, recentIds())),
    [],
  )
  const [text, setText] = useState('')
  const lines = useMemo(() => find(text), [find, text])
  /** The line that the person moved to. The first entry is chosen without that. */
  const [reached, setReached] = useState<number | null>(null)
  const at = reached ?? entryAfter(lines, -1, 1)
  const list = useRef<VListHandle>(null)
  const chosen = lines[at]

  const search = (typed: string): void => {
    setText(typed)
    setReached(null)
    list.current?.scrollTo(0)
  }
  const goTo = (next: number): void => {
    setReached(next)
    // Scrolls the first heading into view together with its first line.
    list.current?.scrollToIndex(lines[next - 1]?.line === 'heading' ? next - 1 : next, { align: 'nearest' })
    list.current?.scrollToIndex(next, { align: 'nearest' })
  }
  const run = (line: PaletteLine | undefined): void => {
    if (line?.line !== 'entry') return
    remember(line.entry.id)
    close()
    // Runs after the dialog has restored the focus, because a command may move it.
    const { id, run } = line.entry
    setTimeout(() => runOutsideDrawers(run, commandStore.getState().commands.get(id)?.keepsDrawers))
  }
  const byKey = (event: KeyboardEvent): void => {
    if (isComposing(event)) return
    const goal = goalOf(event.key, lines, at)
    if (goal !== null) goTo(goal)
    else if (event.key === 'Enter') run(chosen)
    else if (isPaletteKey(event.nativeEvent, shortcuts)) close()
    else return
    event.preventDefault()
  }
  const count = lines.reduce((sum, { line }) => sum + Number(line === 'entry'), 0)
  return (
    <>
      <div className="palette-field">
        <Search aria-hidden size={16} strokeWidth={1.75} />
        <input
          dir="auto"
          type="text"
          role="combobox"
          aria-label={t('title')}
          aria-expanded
          aria-controls="palette-list"
          // Before that, screen readers would read the first entry in place of the field, and take its keys as theirs.
          aria-activedescendant={chosen && (reached !== null || text !== '') ? idOf(chosen, at) : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder={t('placeholder')}
          value={text}
          onChange={(event) => search(event.target.value)}
          onKeyDown={byKey}
        />
      </div>
      <div id="palette-list" role="listbox" aria-label={t('results')} className="palette-list">
        {/* Commands of all pages have their texts. */}
        <WithTexts of={allGroups}>
          {lines.length > 0 && (
            <VList
              ref={list}
              data={lines}
              ssrCount={16}
              keepMounted={at < 0 ? [] : [at]}
              style={{ height: heightOf(lines) }}
            >
              {(line: PaletteLine, index) =>
                line.line === 'heading' ? (
                  <div key={`heading ${line.group}`} role="presentation" className="palette-heading">
                    {t(`groups.${line.group}`)}
                  </div>
                ) : (
                  <Choice
                    key={`${line.entry.id} ${index}`}
                    line={line}
                    at={index}
                    reached={index === at}
                    keys={keysShown(line.entry, shortcuts)}
                    onReach={() => setReached(index)}
                    onRun={() => run(line)}
                  />
                )
              }
            </VList>
          )}
        </WithTexts>
      </div>
      {lines.length === 0 && <p className="palette-note">{t('nothing', { text })}</p>}
      <p role="status" className="sr-only">
        {text.trim() !== '' && t('count', { count })}
      </p>
    </>
  )
}

/** Lines per PageUp and PageDown. */
const page = 9

/** The line that a key moves to. Null when the key does not move. */
function goalOf(key: string, lines: readonly PaletteLine[], at: number): number | null {
  if (lines.length === 0) return null
  if (key === 'ArrowDown') return entryAfter(lines, at, 1)
  if (key === 'ArrowUp') return entryAfter(lines, at, -1)
  if (key !== 'PageDown' && key !== 'PageUp') return null
  const far = Math.max(0, Math.min(lines.length - 1, at + (key === 'PageDown' ? page : -page)))
  return lines[far]?.line === 'entry' ? far : entryAfter(lines, far, 1)
}

/** The shortcut that opens the palette also closes it. */
function isPaletteKey(event: globalThis.KeyboardEvent, shortcuts: Shortcuts): boolean {
  const command = commandStore.getState().commands.get('view.palette')
  const pressed = keysOfPress(event, isMac)
  return command !== undefined && pressed !== null && keysOf(command, shortcuts).includes(pressed)
}

function keysShown(entry: Entry, shortcuts: Shortcuts): string {
  const command = commandStore.getState().commands.get(entry.id)
  const [keys] = command ? keysOf(command, shortcuts) : []
  return keys === undefined ? '' : showKeys(keys, isMac)
}

/** Another entry at the same place has another id, because screen readers read only a changed one. */
const idOf = (line: PaletteLine, at: number): string =>
  `palette-${at}-${line.line === 'entry' ? encodeURIComponent(line.entry.id) : ''}`

const rowHeight = 32
const headingHeight = 26
const maxHeight = 420
const heightOf = (lines: readonly PaletteLine[]): number =>
  Math.min(
    maxHeight,
    lines.reduce((sum, { line }) => sum + (line === 'entry' ? rowHeight : headingHeight), 0),
  )

function Choice(props: {
  line: Extract<PaletteLine, { line: 'entry' }>
  at: number
  reached: boolean
  keys: string
  onReach: () => void
  onRun: () => void
}) {
  const { entry, marks } = props.line
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the field, which keeps the focus
    <div
      id={idOf(props.line, props.at)}
      role="option"
      tabIndex={-1}
      aria-selected={props.reached}
      className="palette-choice"
      onClick={props.onRun}
      onMouseMove={props.onReach}
    >
      <span className="palette-title" dir="auto">
        {pieces(entry.title, marks).map(({ text, hit }, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text, drawn once
          hit ? <b key={index}>{text}</b> : <span key={index}>{text}</span>,
        )}
      </span>
      {entry.beside && <span className="palette-beside">{entry.beside}</span>}
      {props.keys !== '' && <Kbd>{props.keys}</Kbd>}
    </div>
  )
}

const recentKey = 'palette.recent'
const mostRecent = 30

/** Ids of recently chosen entries, latest first. */
function recentIds(): string[] {
  const stored = localStore.getJson(recentKey)
  return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(0, mostRecent) : []
}

function remember(id: string): void {
  localStore.setJson(recentKey, [id, ...recentIds().filter((one) => one !== id)].slice(0, mostRecent))
}

/** The palette and the list of shortcuts, over every page. */
export function CommandLayers() {
  const { t } = useTranslation('palette')
  const shown = useLayer()
  return (
    <>
      <Palette />
      <Dialog
        open={shown === 'shortcuts'}
        onClose={() => closeLayer('shortcuts')}
        title={t('shortcuts')}
        about={t('shortcutsAbout')}
        width="wide"
      >
        <WithTexts of={allGroups}>
          <ShortcutList heading="h3" />
        </WithTexts>
      </Dialog>
    </>
  )
}
