import { RotateCcw, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { ProblemNotice } from '../errors/ProblemNotice.tsx'
import { folded } from '../looseText.ts'
import { useStudio } from '../studioContext.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { TextInput } from '../ui/Field.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import { isMac } from '../ui/platform.ts'
import { holdersOf, keysOf, type Shortcuts, withKeys, withoutOwnKeys } from './bindings.ts'
import { KeyRecorder, useRecorderButton } from './KeyRecorder.tsx'
import { isKept, showKeys } from './keys.ts'
import { type Command, commandStore, groups } from './registry.ts'
import { useShortcuts } from './useKeys.ts'

/**
 * All commands with their shortcuts, to read and change.
 * @param heading of the groups: one level below the heading of the page or dialog
 */
export function ShortcutList({ heading: Heading }: { heading: 'h2' | 'h3' }) {
  const { t } = useTranslation('palette')
  const studio = useStudio()
  const shortcuts = useShortcuts()
  const commands = useStore(commandStore, (store) => store.commands)
  const [text, setText] = useState('')
  const [recording, setRecording] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const save = (next: Shortcuts): void => {
    setRecording(null)
    setProblem(null)
    studio.app.updateSettings({ shortcuts: { ...next } }).catch((thrown: unknown) => setProblem(problemOf(thrown)))
  }
  const wanted = folded(text.trim())
  const shown = [...commands.values()].filter(
    (command) =>
      folded(command.title).includes(wanted) ||
      keysOf(command, shortcuts).some((keys) => folded(showKeys(keys, isMac)).includes(wanted)),
  )
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex items-center gap-2">
        <TextInput
          aria-label={t('findCommand')}
          placeholder={t('findCommand')}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button disabled={Object.keys(shortcuts).length === 0} onClick={() => save({})}>
          {t('resetAll')}
        </Button>
      </div>
      {problem && <ProblemNotice problem={problem} noAction />}
      {shown.length === 0 && <p className="text-s text-soft">{t('nothing', { text })}</p>}
      {groups.map((group) => {
        const its = shown.filter((command) => command.group === group)
        if (its.length === 0) return null
        return (
          <section key={group} aria-label={t(`groups.${group}`)}>
            <Heading className="mb-1 font-semibold text-faint text-s">{t(`groups.${group}`)}</Heading>
            <ul>
              {its.map((command) => (
                <Row
                  key={command.id}
                  command={command}
                  commands={commands}
                  shortcuts={shortcuts}
                  recording={recording === command.id}
                  onRecord={(on) => setRecording(on ? command.id : null)}
                  onSave={save}
                />
              ))}
            </ul>
          </section>
        )
      })}
      <p className="text-faint text-s">{t('spareHint', { keys: showKeys('Alt+Shift+N', isMac) })}</p>
    </div>
  )
}

interface RowProps {
  command: Command
  commands: ReadonlyMap<string, Command>
  shortcuts: Shortcuts
  recording: boolean
  onRecord: (on: boolean) => void
  onSave: (shortcuts: Shortcuts) => void
}

function Row({ command, commands, shortcuts, recording, onRecord, onSave }: RowProps) {
  const { t } = useTranslation('palette')
  const button = useRecorderButton(recording)
  const keys = keysOf(command, shortcuts)
  const { title } = command
  const doubled = keys.flatMap((one) => holdersOf(one, command, commands, shortcuts))
  return (
    <li className="shortcut-row">
      <span className="min-w-0 flex-1">
        {title}
        {doubled[0] && <span className="block text-s text-warn">{t('alsoOf', { title: doubled[0].title })}</span>}
      </span>
      {recording ? (
        <Recorder
          command={command}
          commands={commands}
          shortcuts={shortcuts}
          onEnd={() => onRecord(false)}
          onKeys={(pressed) => onSave(withKeys(command, pressed, commands, shortcuts))}
        />
      ) : (
        <span className="flex items-center gap-1">
          {shortcuts[command.id] !== undefined && (
            <IconButton
              icon={RotateCcw}
              size="small"
              label={t('resetOne', { title })}
              onClick={() => onSave(withoutOwnKeys(command, commands, shortcuts))}
            />
          )}
          {keys.length > 0 && (
            <IconButton
              icon={X}
              size="small"
              label={t('removeShortcut', { title })}
              onClick={() => onSave(withKeys(command, '', commands, shortcuts))}
            />
          )}
          <button ref={button} type="button" className="shortcut-keys" onClick={() => onRecord(true)}>
            <span className="sr-only">{t('changeShortcut', { title })}</span>
            {keys.length === 0 ? (
              <span className="text-faint text-s">{t('noShortcut')}</span>
            ) : (
              keys.map((one) => <Kbd key={one}>{showKeys(one, isMac)}</Kbd>)
            )}
          </button>
        </span>
      )}
    </li>
  )
}

/** Records a combination for a command, unless it is reserved. Asks first when another command has it. */
function Recorder(props: {
  command: Command
  commands: ReadonlyMap<string, Command>
  shortcuts: Shortcuts
  onKeys: (keys: string) => void
  onEnd: () => void
}) {
  const { t } = useTranslation('palette')
  const { command, commands, shortcuts, onKeys, onEnd } = props
  const [pressed, setPressed] = useState<string | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const holder = pressed === null ? undefined : holdersOf(pressed, command, commands, shortcuts)[0]
  const judge = (keys: string): void => {
    setFault(null)
    setPressed(null)
    if (isKept(keys)) setFault(t('reservedKeys', { keys: showKeys(keys, isMac) }))
    else if (holdersOf(keys, command, commands, shortcuts).length > 0) setPressed(keys)
    else onKeys(keys)
  }
  return (
    <span className="flex min-w-0 flex-col items-end gap-1.5">
      <KeyRecorder
        onKeys={judge}
        onEnd={onEnd}
        onBlur={(event) => {
          if (!event.relatedTarget || !event.currentTarget.parentElement?.contains(event.relatedTarget)) onEnd()
        }}
      >
        {pressed === null ? t('pressKeys') : <Kbd>{showKeys(pressed, isMac)}</Kbd>}
      </KeyRecorder>
      {fault && (
        <span role="alert" className="text-bad text-s">
          {fault}
        </span>
      )}
      {pressed !== null && holder && (
        <span role="alert" className="flex flex-wrap items-center justify-end gap-1.5 text-s">
          <span className="text-warn">{t('usedBy', { title: holder.title })}</span>
          <Button size="small" onClick={() => onKeys(pressed)}>
            {t('useHereInstead')}
          </Button>
          <Button size="small" variant="plain" onClick={onEnd}>
            {t('cancel')}
          </Button>
        </span>
      )}
    </span>
  )
}
