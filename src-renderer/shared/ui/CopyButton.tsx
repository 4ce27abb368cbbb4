import { Check, Copy, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from './Button.tsx'
import { StatusText } from './StatusText.tsx'

type Outcome = 'idle' | 'copied' | 'failed'

/** Copies a text and shows the result for two seconds. With `label`, a text button. Otherwise an icon button named by `name`. */
export function CopyButton(props: {
  text: string
  name: string
  label?: string
  size?: 'small' | 'normal'
  /** Of a text button. */
  className?: string
  variant?: 'normal' | 'primary'
}) {
  const { t } = useTranslation('common')
  const [outcome, setOutcome] = useState<Outcome>('idle')
  useEffect(() => {
    if (outcome === 'idle') return
    const timer = setTimeout(() => setOutcome('idle'), 2000)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () => {
    navigator.clipboard.writeText(props.text).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    )
  }
  const icon = outcome === 'copied' ? Check : outcome === 'failed' ? X : Copy
  const outcomeText = outcome === 'copied' ? t('copied') : outcome === 'failed' ? t('copyFailed') : null
  return (
    <>
      {props.label ? (
        <Button
          icon={icon}
          variant={props.variant ?? 'normal'}
          size={props.size ?? 'normal'}
          className={props.className ?? ''}
          onClick={copy}
        >
          {outcomeText ?? props.label}
        </Button>
      ) : (
        <IconButton icon={icon} size={props.size ?? 'normal'} label={outcomeText ?? props.name} onClick={copy} />
      )}
      <StatusText>{outcomeText}</StatusText>
    </>
  )
}
