"""Degrades a picture as editing and posting do: dimming, blur, scaling, compression, noise."""

from __future__ import annotations

import io
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter

Colour: TypeAlias = "tuple[int, int, int]"
Random: TypeAlias = "np.random.Generator"


def spoil(picture: Image.Image, random: Random) -> Image.Image:
    """Return a degraded picture of the same size."""
    if random.random() < 0.12:
        picture = Image.blend(
            picture, Image.new("RGB", picture.size, grey(random)), random.uniform(0.1, 0.45)
        )
    if random.random() < 0.2:
        picture = ImageEnhance.Contrast(picture).enhance(random.uniform(0.6, 1.3))
    if random.random() < 0.1:
        picture = ImageEnhance.Color(picture).enhance(random.uniform(0, 0.6))
    if random.random() < 0.15:
        picture = picture.filter(ImageFilter.GaussianBlur(random.uniform(0.3, 1.0)))
    if random.random() < 0.35:
        size = picture.size
        scale = random.uniform(0.6, 1.7)
        scaled = (max(8, round(size[0] * scale)), max(8, round(size[1] * scale)))
        kinds = (
            Image.Resampling.BILINEAR,
            Image.Resampling.LANCZOS,
            Image.Resampling.BICUBIC,
            Image.Resampling.NEAREST,
        )
        kind = kinds[random.choice(4, p=(0.4, 0.3, 0.25, 0.05))]
        picture = picture.resize(scaled, kind).resize(size, Image.Resampling.BICUBIC)
    if random.random() < 0.6:
        stream = io.BytesIO()
        picture.save(
            stream, "JPEG", quality=int(random.integers(35, 96)), subsampling=int(random.integers(0, 3))
        )
        picture = Image.open(stream).convert("RGB")
    if random.random() < 0.05:
        noise = random.normal(0, random.uniform(2, 8), (*picture.size[::-1], 3))
        picture = Image.fromarray(np.clip(np.asarray(picture) + noise, 0, 255).astype(np.uint8))
    return picture


def grey(random: Random) -> Colour:
    """Return black, white, or a grey in between."""
    value = int(random.choice((0, 255, int(random.integers(0, 256)))))
    return value, value, value


def colour(random: Random, low: int = 0, high: int = 256) -> Colour:
    """Return a colour whose components lie in a range."""
    red, green, blue = (int(part) for part in random.integers(low, high, 3))
    return red, green, blue


def mix(base: Colour, other: Colour, share: float) -> Colour:
    """Return a colour with a share of another mixed in."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(base, other, strict=True))
    return red, green, blue
