// A disk that loses its power: an ext4 file system in an image, and the image in another one, the rack.
//
// 1. What a process writes waits in the kernel's memory until somebody syncs it or the kernel writes it back. Only then
//    does it reach the loop device, and with it the image. So the image holds what was on the disk, and nothing else.
// 2. A cut freezes the rack: from that moment no write reaches the image any more, in the middle of a sync too. What was
//    synced before is in it; a sync that had not come back does not come back. Only then is the image copied.
// 3. Mounting the copy replays its journal, as a machine does that gets its power back.
import { join } from 'node:path';
import { command, MountedImage } from './mounted-image.ts';
import type { Undo } from './undo.ts';

/** Where disks are that may lose their power. One of them at a time. */
export class Rack {
  private readonly outside: string;
  private readonly images: MountedImage;
  private readonly undo: Undo;

  /** Everything of it lies in a folder. */
  constructor(folder: string, undo: Undo) {
    this.outside = folder;
    this.images = MountedImage.create(join(folder, 'rack.img'), join(folder, 'rack'), undo);
    this.undo = undo;
  }

  /** A new, empty disk. */
  newDisk(): MountedImage {
    return MountedImage.create(join(this.images.folder, 'disk.img'), join(this.outside, 'disk'), this.undo);
  }

  /**
   * Cuts the power of a disk, and kills those that write to it with the same stroke. Gives the disk as it is found when the
   * power is back.
   */
  cut(disk: MountedImage, kill: () => void): MountedImage {
    const copy = join(this.outside, 'after.img');
    command('fsfreeze', '--freeze', this.images.folder);
    try {
      kill();
      command('cp', '--sparse=always', '--reflink=never', disk.image, copy);
    } finally {
      // Whoever waits for the disk can only die once it answers again. That changes nothing in the copy.
      command('fsfreeze', '--unfreeze', this.images.folder);
    }
    return new MountedImage(copy, join(this.outside, 'after'), this.undo);
  }

  /** Takes down what is left. */
  remove(): void {
    this.images.remove();
  }
}
