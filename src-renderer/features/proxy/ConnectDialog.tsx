import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { SetupPicker } from './SetupPicker.tsx'
import { setups } from './setups/index.ts'

/** Setup texts without the key: for reading, or for an app whose key was shown before. */
export function ConnectDialog(props: {
  /** `any`: no specific app. Null: closed. */
  open: App | 'any' | null
  onClose: () => void
  /** Creates an app for the selected setup: its name and id. */
  onMakeKey: (name: string, setup: string) => void
  onTurnOn: () => void
  baseUrl: string | null
  model: string | null
}) {
  const { t } = useTranslation('proxy')
  const [picked, setPicked] = useState(setups[0])
  const tool = props.open === 'any' ? null : props.open
  const placeholder = t('setup.placeholder')
  return (
    <Dialog
      open={props.open !== null}
      onClose={props.onClose}
      width="wide"
      title={t('setup.title')}
      about={tool ? t('setup.aboutTool', { name: tool.name }) : t('setup.about')}
    >
      {props.baseUrl ? (
        <Notice
          kind="info"
          action={{
            label: t('setup.makeKey'),
            onClick: () => props.onMakeKey(tool?.name ?? picked?.name ?? '', picked?.id ?? ''),
          }}
        >
          {tool ? t('setup.noKeyTool', { name: tool.name, placeholder }) : t('setup.noKey', { placeholder })}
        </Notice>
      ) : (
        <Notice kind="warn" action={{ label: t('setup.turnOn'), onClick: props.onTurnOn }}>
          {t('setup.noAddress')}
        </Notice>
      )}
      <SetupPicker
        baseUrl={props.baseUrl}
        secret={null}
        models={tool?.models ?? null}
        model={props.model}
        first={null}
        about={t(`setup.kinds.${picked?.kind ?? 'shell'}`)}
        onPick={setPicked}
      />
      <div className="flex justify-end">
        <Button onClick={props.onClose}>{t('form.done')}</Button>
      </div>
    </Dialog>
  )
}
