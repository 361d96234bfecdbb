"""ZIP archives, which backups, bundles of tools and spreadsheets are."""

import zipfile
import zlib

# What reading a damaged one raises; RuntimeError is of parts that are encrypted or packed in another way.
ZIP_DAMAGE = (zipfile.BadZipFile, OSError, EOFError, ValueError, RuntimeError, zlib.error)
