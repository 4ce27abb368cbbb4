import { Plus } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Model } from '../../../src-preload/contract/models.ts'
import { isComposing } from '../../shared/isComposing.ts'
import { isTestModel } from '../../shared/ModelField.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Checkbox, TextInput } from '../../shared/ui/Field.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { Spinner } from '../../shared/ui/Spinner.tsx'

const maxShown = 200

/** Any model, or a selection from the service's list and typed ids. */
export function ModelsField(props: {
  any: boolean
  models: readonly string[]
  error: string | null
  onChange: (change: { anyModel?: boolean; models?: readonly string[] }) => void
}) {
  const { t } = useTranslation('proxy')
  const id = useId()
  return (
    <fieldset className="flex min-w-0 flex-col gap-2" aria-describedby={props.error ? id : undefined}>
      <legend className="sr-only">{t('form.models')}</legend>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span aria-hidden className="font-[540] text-s">
          {t('form.models')}
          {!props.any && props.models.length > 0 && (
            <span className="num ms-2 font-normal text-faint">
              {t('form.modelsPicked', { count: props.models.length })}
            </span>
          )}
        </span>
        <Segmented
          label={t('form.models')}
          value={props.any ? 'any' : 'some'}
          onChange={(picked) => props.onChange({ anyModel: picked === 'any' })}
          segments={[
            { value: 'any', label: t('form.modelsAny') },
            { value: 'some', label: t('form.modelsSome') },
          ]}
        />
      </div>
      {!props.any && <Choice models={props.models} onChange={(models) => props.onChange({ models })} />}
      {props.error && (
        <div id={id} className="text-bad text-s">
          {props.error}
        </div>
      )}
    </fieldset>
  )
}

interface Listed {
  state: 'loading' | 'failed' | 'ready'
  models: readonly Model[]
}

function useListed(): Listed {
  const studio = useStudio()
  const [listed, setListed] = useState<Listed>({ state: 'loading', models: [] })
  useEffect(() => {
    let wanted = true
    studio.models.list({}).then(
      ({ models }) => wanted && setListed({ state: 'ready', models }),
      () => wanted && setListed({ state: 'failed', models: [] }),
    )
    return () => {
      wanted = false
    }
  }, [studio])
  return listed
}

function Choice({ models, onChange }: { models: readonly string[]; onChange: (models: readonly string[]) => void }) {
  const { t } = useTranslation(['proxy', 'models'])
  const { state, models: listed } = useListed()
  const [withTests, setWithTests] = useState(false)
  const ids = listed.map(({ id }) => id)
  const tests = new Set(listed.filter(isTestModel).map(({ id }) => id))
  const [search, setSearch] = useState('')
  const typed = search.trim()
  const unlisted = models.filter((id) => !ids.includes(id))
  const all = [...unlisted, ...ids].filter((id) => id.toLowerCase().includes(typed.toLowerCase()))
  const found = all.filter((id) => withTests || !tests.has(id) || models.includes(id))
  const canAdd = typed !== '' && typed.length <= 300 && !ids.includes(typed) && !models.includes(typed)
  const add = () => {
    if (!canAdd) return
    onChange([...models, typed])
    setSearch('')
  }
  return (
    <div className="rounded-m shadow-[inset_0_0_0_1px_var(--line-strong)]">
      <div className="flex items-center gap-2 border-line border-b p-1.5">
        <TextInput
          type="search"
          aria-label={t('form.modelsSearch')}
          placeholder={t('form.modelsSearch')}
          className="h-7 shadow-none"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || isComposing(event)) return
            event.preventDefault()
            add()
          }}
        />
        {canAdd && (
          <Button size="small" icon={Plus} onClick={add} className="max-w-[50%] overflow-hidden">
            <span className="truncate">{t('form.modelsAdd', { id: typed })}</span>
          </Button>
        )}
      </div>
      <div className="flex max-h-40 flex-col gap-1 overflow-y-auto p-2.5">
        {state === 'loading' && (
          <span className="flex items-center gap-2 text-s text-soft">
            <Spinner /> {t('form.modelsLoading')}
          </span>
        )}
        {state === 'failed' && <span className="text-s text-warn">{t('form.modelsFailed')}</span>}
        {state === 'ready' && all.length === 0 && <span className="text-faint text-s">{t('form.modelsNone')}</span>}
        {found.slice(0, maxShown).map((id) => (
          <Checkbox
            key={id}
            label={
              <>
                <span className="break-all">{id}</span>
                {state === 'ready' && unlisted.includes(id) && (
                  <span className="ms-2 text-faint">{t('form.modelsUnlisted')}</span>
                )}
              </>
            }
            checked={models.includes(id)}
            onChange={(event) => onChange(event.target.checked ? [...models, id] : models.filter((one) => one !== id))}
          />
        ))}
        {found.length < all.length && (
          <Button size="small" className="self-start" onClick={() => setWithTests(true)}>
            {t('models:showTests', { count: all.length - found.length })}
          </Button>
        )}
      </div>
    </div>
  )
}
