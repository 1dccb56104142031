"""Degrades pictures the way editing and posting do: dimming, blur, scaling, compression, noise."""

from __future__ import annotations

import io
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageEnhance, ImageFilter

Colour: TypeAlias = "tuple[int, int, int]"


def degrade(picture: Image.Image, rng: Generator) -> Image.Image:
    if rng.random() < 0.12:
        picture = Image.blend(
            picture, Image.new("RGB", picture.size, random_grey(rng)), rng.uniform(0.1, 0.45)
        )
    if rng.random() < 0.2:
        picture = ImageEnhance.Contrast(picture).enhance(rng.uniform(0.6, 1.3))
    if rng.random() < 0.1:
        picture = ImageEnhance.Color(picture).enhance(rng.uniform(0, 0.6))
    if rng.random() < 0.15:
        picture = picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 1.0)))
    if rng.random() < 0.35:
        size = picture.size
        scale = rng.uniform(0.6, 1.7)
        scaled_size = (max(8, round(size[0] * scale)), max(8, round(size[1] * scale)))
        kinds = (
            Image.Resampling.BILINEAR,
            Image.Resampling.LANCZOS,
            Image.Resampling.BICUBIC,
            Image.Resampling.NEAREST,
        )
        kind = kinds[rng.choice(4, p=(0.4, 0.3, 0.25, 0.05))]
        picture = picture.resize(scaled_size, kind).resize(size, Image.Resampling.BICUBIC)
    if rng.random() < 0.6:
        stream = io.BytesIO()
        picture.save(stream, "JPEG", quality=int(rng.integers(35, 96)), subsampling=int(rng.integers(0, 3)))
        picture = Image.open(stream).convert("RGB")
    if rng.random() < 0.05:
        noise = rng.normal(0, rng.uniform(2, 8), (*picture.size[::-1], 3))
        picture = Image.fromarray(np.clip(np.asarray(picture) + noise, 0, 255).astype(np.uint8))
    return picture


def random_grey(rng: Generator) -> Colour:
    value = int(rng.choice((0, 255, int(rng.integers(0, 256)))))
    return value, value, value


def random_colour(rng: Generator, low: int = 0, high: int = 256) -> Colour:
    red, green, blue = (int(part) for part in rng.integers(low, high, 3))
    return red, green, blue


def mix(base: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(base, other, strict=True))
    return red, green, blue
