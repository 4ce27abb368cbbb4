import { encode } from 'fast-png'
import jpeg from 'jpeg-js'

/** Small real pictures, of one colour but for a seed in their first pixel, so that each seed is another content. */
export function png(width: number, height: number, seed = 0): Buffer {
  const data = new Uint8Array(width * height * 3).fill(120)
  data[0] = seed & 255
  data[1] = (seed >> 8) & 255
  return Buffer.from(encode({ width, height, data, channels: 3, depth: 8 }))
}

export function jpg(width: number, height: number): Buffer {
  return Buffer.from(jpeg.encode({ width, height, data: Buffer.alloc(width * height * 4, 200) }, 80).data)
}

/** Header and trailer alone: what a reader of headers sees, with any size. */
export function gifHead(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(14)
  bytes.write('GIF89a', 'latin1')
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  bytes[13] = 0x3b
  return bytes
}

export function webpHead(form: 'VP8X' | 'VP8L' | 'VP8 ', width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.write('RIFF', 'latin1')
  bytes.writeUInt32LE(32, 4)
  bytes.write('WEBP', 8, 'latin1')
  bytes.write(form, 12, 'latin1')
  if (form === 'VP8X') {
    bytes.writeUIntLE(width - 1, 24, 3)
    bytes.writeUIntLE(height - 1, 27, 3)
  } else if (form === 'VP8L') {
    bytes[20] = 0x2f
    bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21)
  } else {
    bytes.set([0x9d, 0x01, 0x2a], 23)
    bytes.writeUInt16LE(width, 26)
    bytes.writeUInt16LE(height, 28)
  }
  return bytes
}

/** A PNG header alone that claims a size; its reader never decodes. */
export function pngClaim(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])
  bytes.write('IHDR', 12, 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
