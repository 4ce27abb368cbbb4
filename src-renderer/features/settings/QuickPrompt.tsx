import { X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../src-preload/contract/app.ts'
import { problemOf } from '../../api/problem.ts'
import { KeyRecorder, useRecorderButton } from '../../shared/commands/KeyRecorder.tsx'
import { showKeys } from '../../shared/commands/keys.ts'
import { useDesktop } from '../../shared/desktop.ts'
import { showToast } from '../../shared/toasts.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { Kbd } from '../../shared/ui/Kbd.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { isMac } from '../../shared/ui/platform.ts'
import { Group, Row } from './Group.tsx'
import { useSave } from './useSave.ts'

/** The global shortcut of the quick prompt: change, remove, and what the system says about it. */
export function QuickPromptSettings({ settings: { quickShortcut } }: { settings: Settings }) {
  const { t } = useTranslation('quick')
  const save = useSave()
  const state = useDesktop((store) => store.state)
  const client = useDesktop((store) => store.client)
  const [isRecording, setRecording] = useState(false)
  const button = useRecorderButton(isRecording)
  const keys = showKeys(quickShortcut, isMac)
  const set = (quickShortcut: string): void => {
    setRecording(false)
    save({ quickShortcut })
  }
  const retry = (): void => {
    client?.retryShortcut().catch((thrown: unknown) => showToast({ id: 'settings', text: problemOf(thrown).message }))
  }
  // The state of an earlier shortcut says nothing about this one.
  const outcome = state?.shortcut.keys === quickShortcut ? state.shortcut.state : null
  return (
    <Group title={t('settings')} about={t('settingsAbout')}>
      <Row name={t('shortcut')} hint={quickShortcut === '' ? t('shortcutOff') : t('shortcutHint')}>
        {isRecording ? (
          <KeyRecorder onKeys={set} onEnd={() => setRecording(false)}>
            {t('press')}
          </KeyRecorder>
        ) : (
          <span className="flex items-center gap-1">
            {quickShortcut !== '' && (
              <IconButton icon={X} size="small" label={t('removeShortcut')} onClick={() => set('')} />
            )}
            <button ref={button} type="button" className="shortcut-keys" onClick={() => setRecording(true)}>
              <span className="sr-only">{t('change')}</span>
              {quickShortcut === '' ? <span className="text-faint text-s">{t('noShortcut')}</span> : <Kbd>{keys}</Kbd>}
            </button>
          </span>
        )}
      </Row>
      {outcome === 'taken' && (
        <Notice
          kind="warn"
          role="alert"
          title={t('shortcutTaken', { keys })}
          action={{ label: t('tryAgain'), onClick: retry }}
        />
      )}
      {outcome === 'invalid' && <Notice kind="warn" role="alert" title={t('shortcutInvalid', { keys })} />}
      {state?.isWayland && <p className="text-faint text-s">{t('shortcutWayland')}</p>}
    </Group>
  )
}
