"""Folders that appear as a whole or not at all, and never in place of what is not ours."""

from equipoise.files.folders.claims import Claim as Claim
from equipoise.files.folders.claims import Reason as Reason
from equipoise.files.folders.replaced import claimed as claimed
from equipoise.files.folders.replaced import replaced as replaced
from equipoise.files.folders.signals import terminable as terminable
