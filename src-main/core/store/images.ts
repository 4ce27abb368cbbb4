import * as z from 'zod'
import {
  type Drawing,
  type Image,
  type ImageSlot,
  imageRequest,
  imageSlot,
} from '../../../src-preload/contract/images.ts'
import { readCreatedItem, readMadeBy, readMakingCost } from './createdItems.ts'
import type { Database } from './database.ts'
import { json, number, numberOrNull, numbers, type Row, readOrNull, text, textOrNull, toJson } from './rows.ts'
import { prepareAll } from './statements.ts'

/** Limit for one family of prompts; more than a person looks through. */
const mostRelated = 500

/** The fields of a drawing that change while its images are generated. */
export type DrawingProgress = Pick<Drawing, 'state' | 'problem' | 'slots' | 'tookMs' | 'cost' | 'costIs' | 'rows'>

export interface NewImage {
  id: string
  drawingId: string
  createdAt: string
  slot: number
  mediaId: string
}

/** A stored file with bytes that are not a whole image. `name`: what is known of the format, such as `damaged.png`. */
export interface DamagedFile {
  mediaId: string
  mime: string
  name: string | null
  prompt: string
}

/** Requests for images, and the resulting images. A removed one is not shown and can be restored. */
export function imageTable({ handle, transaction, journal }: Database) {
  // The bytes of an image that could not be decoded have a row here as well, so that they are stored and deleted as images are.
  const isPicture = "(SELECT kind FROM media WHERE id = i.media_id) = 'image'"
  const drawn = `
    SELECT *, (SELECT count(*) FROM images AS i WHERE drawing_id = drawings.id AND removed_at IS NULL AND ${isPicture}) AS in_sight,
           (SELECT coalesce(thumb_id, media_id) FROM images AS i
             WHERE drawing_id = drawings.id AND removed_at IS NULL AND ${isPicture} ORDER BY slot LIMIT 1) AS look_id
      FROM drawings`
  const dismissing = `UPDATE drawings SET dismissed = 1 WHERE id = ? AND state <> 'making'
        AND NOT EXISTS (SELECT 1 FROM images AS i WHERE drawing_id = drawings.id AND removed_at IS NULL AND ${isPicture})`
  const shown = `
    SELECT i.id, i.drawing_id, i.created_at, i.media_id, i.thumb_id, i.favourite, m.width, m.height, m.bytes, m.mime,
           substr(d.wish ->> '$.prompt', 1, 160) AS prompt, d.app
      FROM images AS i JOIN media AS m ON m.id = i.media_id JOIN drawings AS d ON d.id = i.drawing_id
     WHERE i.removed_at IS NULL`
  const pictures = `${shown} AND m.kind = 'image'`
  const among = 'id IN (SELECT value FROM json_each(:ids))'
  const sql = prepareAll(handle, {
    insertDrawing: `INSERT INTO drawings (id, created_at, state, wish, search, slots, from_image_id, app)
     VALUES (:id, :createdAt, 'making', :wish, :search, :slots, :fromImageId, :app)`,
    progress: `UPDATE drawings SET state = :state, problem = :problem, slots = :slots, took_ms = :tookMs, cost = :cost, cost_is = :costIs,
            request_rows = :rows WHERE id = :id`,
    one: `${drawn} WHERE id = ?`,
    making: `${drawn} WHERE state = 'making' ORDER BY created_at, rowid`,
    newest: `${drawn} WHERE state <> 'making' AND dismissed = 0 ORDER BY created_at DESC, rowid DESC LIMIT ?`,
    dismiss: dismissing,
    takeOut: `${dismissing} AND dismissed = 0`,
    insertImage:
      'INSERT INTO images (id, drawing_id, created_at, slot, media_id) VALUES (:id, :drawingId, :createdAt, :slot, :mediaId)',
    image: `${pictures} AND i.id = ?`,
    damaged: `SELECT m.id, m.mime, m.name, substr(d.wish ->> '$.prompt', 1, 160) AS prompt
      FROM images AS i JOIN media AS m ON m.id = i.media_id JOIN drawings AS d ON d.id = i.drawing_id
     WHERE i.id = ? AND i.removed_at IS NULL AND m.kind = 'document'`,
    removeDamaged: `UPDATE images AS i SET removed_at = :at WHERE drawing_id = :id AND removed_at IS NULL AND NOT ${isPicture}`,
    ofDrawings: `${pictures} AND i.drawing_id IN (SELECT value FROM json_each(?)) ORDER BY i.created_at, i.slot`,
    find: `${pictures} AND i.favourite >= :favourites
         AND NOT EXISTS (SELECT 1 FROM json_each(:needles) WHERE instr(d.search, value) = 0)
       ORDER BY i.created_at DESC, i.drawing_id, i.slot DESC`,
    total: `SELECT count(*) AS n FROM images AS i WHERE removed_at IS NULL AND ${isPicture}`,
    favourite: `UPDATE images SET favourite = :favourite WHERE ${among} AND removed_at IS NULL`,
    remove: `UPDATE images SET removed_at = :at WHERE ${among} AND removed_at IS NULL RETURNING id`,
    restore: `UPDATE images SET removed_at = NULL WHERE ${among} AND removed_at IS NOT NULL RETURNING id`,
    setThumb: 'UPDATE images SET thumb_id = :thumbId WHERE id = :id',
    isImage: 'SELECT 1 FROM images WHERE id = ?',
    drawingsOf: `SELECT DISTINCT drawing_id AS id FROM images WHERE ${among}`,
    // `UNION` yields each row once, so even a cycle, which nothing creates, would end.
    first: `WITH RECURSIVE up (id, parent) AS (
       SELECT id, from_image_id FROM drawings WHERE id = :id
       UNION SELECT d.id, d.from_image_id FROM up JOIN images AS i ON i.id = up.parent JOIN drawings AS d ON d.id = i.drawing_id)
     SELECT id FROM up WHERE parent IS NULL OR NOT EXISTS (SELECT 1 FROM images WHERE id = up.parent) LIMIT 1`,
    family: `WITH RECURSIVE down (id) AS (
       SELECT :id
       UNION SELECT d.id FROM down JOIN images AS i ON i.drawing_id = down.id JOIN drawings AS d ON d.from_image_id = i.id)
     ${drawn} WHERE id IN (SELECT id FROM down) ORDER BY created_at, rowid LIMIT ${mostRelated}`,
  })

  const drawing = (id: string): Drawing | null => readOrNull(sql.one.get(id), readDrawing)
  return {
    insertDrawing(id: string, { createdAt, search, slots, fromImageId, app = null, ...wish }: NewDrawing): void {
      const given = { wish: JSON.stringify(wish), slots: JSON.stringify(slots) }
      transaction(() => sql.insertDrawing.run({ id, createdAt, search, fromImageId, app, ...given }))
    },
    drawing,
    /** In progress, oldest first. */
    making: (): Drawing[] => sql.making.all().map(readDrawing),
    /** Ended and not removed, newest first. */
    newest: (limit: number): Drawing[] => sql.newest.all(limit).map(readDrawing),
    /** Stores the end of a drawing. It is on the disk when this returns. */
    settle: (id: string, now: DrawingProgress): void => transaction(() => write(id, now)),
    /** Stores intermediate progress. */
    step: (id: string, now: DrawingProgress): void => journal(() => write(id, now)),
    /** Removes the damaged files as well. False when it is in progress, has images or does not exist. */
    dismiss: (id: string, at: string): boolean =>
      transaction(() => {
        const isDismissed = sql.dismiss.run(id).changes > 0
        if (isDismissed) sql.removeDamaged.run({ id, at })
        return isDismissed
      }),
    /** As `dismiss`, but also false when it was dismissed before. */
    takeOut: (id: string): boolean => transaction(() => sql.takeOut.run(id).changes > 0),
    insertImage: (row: NewImage): void => void sql.insertImage.run({ ...row }),
    /** An image that is not removed. */
    image(id: string): Image | null {
      return readOrNull(sql.image.get(id), readImage)
    },
    /** The bytes of an image that could not be decoded, under the id of its slot (`fileId`). */
    damaged(id: string): DamagedFile | null {
      return readOrNull(sql.damaged.get(id), (row) => ({
        mediaId: text(row, 'id'),
        mime: text(row, 'mime'),
        name: textOrNull(row, 'name'),
        prompt: text(row, 'prompt'),
      }))
    },
    /** Whether the image exists, removed or not. */
    isImage: (id: string): boolean => sql.isImage.get(id) !== undefined,
    /** The drawings that these images belong to, removed or not. */
    drawingsOf: (ids: readonly string[]): string[] =>
      sql.drawingsOf.all({ ids: JSON.stringify(ids) }).map((row) => text(row, 'id')),
    /** Newest first. The folded prompt must contain each of `needles` (shared/text). */
    find: ({ needles, favourites }: { needles: readonly string[]; favourites: boolean }): Image[] =>
      sql.find.all({ needles: JSON.stringify(needles), favourites: favourites ? 1 : 0 }).map(readImage),
    total: (): number => number(sql.total.get() ?? {}, 'n'),
    setFavourite: (ids: readonly string[], value: boolean): void =>
      transaction(() => void sql.favourite.run({ ids: JSON.stringify(ids), favourite: value ? 1 : 0 })),
    setThumb: (id: string, thumbId: string): void => void sql.setThumb.run({ id, thumbId }),
    /** Removes images and returns which. */
    remove: (ids: readonly string[], at: string): string[] =>
      transaction(() => sql.remove.all({ ids: JSON.stringify(ids), at }).map((row) => text(row, 'id'))),
    restore: (ids: readonly string[]): string[] =>
      transaction(() => sql.restore.all({ ids: JSON.stringify(ids) }).map((row) => text(row, 'id'))),
    /** All drawings of a family, in which one was made from another's image, oldest first, and their images that are not removed. */
    lineage(drawingId: string): { drawings: Drawing[]; images: Image[] } {
      const from = sql.first.get({ id: drawingId })
      const drawings = sql.family.all({ id: from ? text(from, 'id') : drawingId }).map(readDrawing)
      return { drawings, images: sql.ofDrawings.all(JSON.stringify(drawings.map(({ id }) => id))).map(readImage) }
    },
  }

  function write(id: string, now: DrawingProgress): void {
    const { state, tookMs, cost, costIs } = now
    const texts = {
      problem: toJson(now.problem),
      slots: JSON.stringify(now.slots),
      rows: JSON.stringify(now.rows),
    }
    sql.progress.run({ id, state, tookMs, cost, costIs, ...texts })
  }
}

export type NewDrawing = Pick<Drawing, 'prompt' | 'n' | 'model' | 'size' | 'responseFormat' | 'createdAt'> &
  Pick<Drawing, 'fromImageId'> & { app?: string | null; search: string; slots: ImageSlot[] }

function readDrawing(row: Row): Drawing {
  return {
    ...readCreatedItem(row),
    ...readMadeBy(row),
    ...json(row, 'wish', imageRequest),
    slots: json(row, 'slots', z.array(imageSlot)),
    fromImageId: textOrNull(row, 'from_image_id'),
    tookMs: numberOrNull(row, 'took_ms'),
    ...readMakingCost(row),
    inSight: { count: number(row, 'in_sight'), lookId: textOrNull(row, 'look_id') },
  }
}

function readImage(row: Row): Image {
  return {
    id: text(row, 'id'),
    drawingId: text(row, 'drawing_id'),
    createdAt: text(row, 'created_at'),
    ...numbers(row, 'width', 'height', 'bytes'),
    mime: text(row, 'mime'),
    mediaId: text(row, 'media_id'),
    thumbId: textOrNull(row, 'thumb_id'),
    favourite: row.favourite === 1,
    prompt: text(row, 'prompt'),
    ...readMadeBy(row),
  }
}
