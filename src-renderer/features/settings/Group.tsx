import { type ComponentProps, type ReactNode, useId } from 'react'
import type { Settings } from '../../../src-preload/contract/app.ts'
import { ModelField } from '../../shared/ModelField.tsx'
import { Card } from '../../shared/ui/Card.tsx'
import { type Segment, Segmented } from '../../shared/ui/Segmented.tsx'
import { Switch } from '../../shared/ui/Switch.tsx'
import { useSave, useSetting } from './useSave.ts'

/** A group of settings on one surface. `actions` are at the end of the title. */
export function Group(props: { title?: string; about?: ReactNode; actions?: ReactNode; children?: ReactNode }) {
  const { title, about, actions, children } = props
  const surface = (
    <Card className="flex flex-col gap-4 p-4 [&>ul:empty]:hidden">
      {title !== undefined && (
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <div className="min-w-[min(240px,100%)] flex-1">
            <h2 className="font-semibold">{title}</h2>
            {about && <div className="mt-0.5 text-faint text-s">{about}</div>}
          </div>
          {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      {children}
    </Card>
  )
  // Without a title, the group has no name for a landmark.
  return title === undefined ? surface : <section aria-label={title}>{surface}</section>
}

/** One setting: name, hint, and its control at the end, whose description for screen readers is the hint with the id `hintId`. */
export function Row({
  name,
  hint,
  hintId,
  children,
}: {
  name: ReactNode
  hint?: ReactNode
  hintId?: string
  children?: ReactNode
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
      <div className="min-w-[min(200px,100%)] flex-1">
        <div className="font-[520]">{name}</div>
        {hint && (
          <div id={hintId} className="text-faint text-s">
            {hint}
          </div>
        )}
      </div>
      {children}
    </div>
  )
}

/** A setting that is on or off. Its name is also the accessible name of the switch. */
export function SwitchRow({ hint, ...control }: ComponentProps<typeof Switch> & { hint: ReactNode }) {
  const id = useId()
  return (
    <Row name={control.label} hint={hint} hintId={id}>
      <Switch {...control} describedBy={id} />
    </Row>
  )
}

type BooleanSetting = { [Name in keyof Settings]: Settings[Name] extends boolean ? Name : never }[keyof Settings]

/** A switch of one setting. A change is saved immediately. */
export function SettingSwitch({ field, ...row }: { field: BooleanSetting; label: string; hint: ReactNode }) {
  const value = useSetting(field)
  const save = useSave()
  return value !== undefined && <SwitchRow {...row} checked={value} onChange={(on) => save({ [field]: on })} />
}

/** The model of one setting; `none` names the choice of no model. A change is saved immediately. */
export function SettingModel(props: {
  field: 'newChatModel' | 'titleModel' | 'textActionModel'
  label: string
  hint: string
  none: string
}) {
  const { field, hint, ...labels } = props
  const value = useSetting(field)
  const save = useSave()
  return (
    <Row name={labels.label} hint={hint}>
      {value !== undefined && <ModelField {...labels} value={value} onPick={(model) => save({ [field]: model })} />}
    </Row>
  )
}

/** A setting with a few values, all visible. Its name is also the accessible name of the control. */
export function SegmentedRow<T extends string>({
  hint,
  ...control
}: ComponentProps<typeof Segmented<T>> & { hint?: ReactNode }) {
  const id = useId()
  return (
    <Row name={control.label} hint={hint} hintId={id}>
      <Segmented {...control} describedBy={hint ? id : undefined} />
    </Row>
  )
}

/** The choice of one setting among a few values. A change is saved immediately. */
export function SettingSegments<Name extends 'theme' | 'fontSize' | 'density' | 'sendKey'>({
  field,
  ...row
}: {
  field: Name
  label: string
  hint?: ReactNode
  segments: Segment<Settings[Name]>[]
}) {
  const value = useSetting(field)
  const save = useSave()
  return value !== undefined && <SegmentedRow {...row} value={value} onChange={(picked) => save({ [field]: picked })} />
}
