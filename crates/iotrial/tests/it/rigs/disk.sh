#!/bin/sh
# A disk on the file $IMAGE, for `nbdkit sh`. It is honest, but for what $FAULT names: once for each fourth page of 8 KiB of the
# first MiB, from the time on that there is a file $ARMED. Each time leaves a folder in $SPOILT.
# $KEPT: bytes that the disk really has, where that is less than it says; with FAULT=wrap addresses begin again there.

# FAULT=foreign-data: what $IMAGE.before holds there comes in place of a write, once there is that file.
# FAULT=lying-flush: from then on, writes and flushes reach nothing but a cache, $IMAGE.cache, which another server does not have.
# FAULT=reordered: the same of each fourth page of 8 KiB; the others are written through, whatever was flushed before.
# FAULT=flush-error: from then on, each flush fails.

page=8192
mib=1048576
call=$1 count=$3 offset=$4

is_chosen() {
    [ -e "$ARMED" ] && [ "$count" -eq $page ] && [ "$offset" -lt $mib ] && [ $((offset / page % 4)) -eq 3 ] && mkdir "$SPOILT/$offset" 2>/dev/null
}

get() { # offset count [image]
    dd if="${3:-$IMAGE}" bs=1M iflag=skip_bytes,count_bytes skip="$1" count="$2" status=none
}

put() { # offset [image]; from standard input
    dd of="${2:-$IMAGE}" bs=1M iflag=fullblock oflag=seek_bytes seek="$1" conv=notrunc status=none
}

nothing() {
    cat >/dev/null
}

fail() {
    echo "$1 injected" >&2
    exit 1
}

disk=$IMAGE
case $FAULT in lying-flush | reordered) if [ -e "$ARMED" ]; then IMAGE=$IMAGE.cache; fi ;; esac

case $call in
thread_model) echo parallel ;;
get_size) stat -Lc %s "$IMAGE" ;;
can_write | can_flush) ;;
flush) if [ "$FAULT" = flush-error ] && [ -e "$ARMED" ]; then fail EIO; fi ;;
pread)
    case $FAULT in
    wrap)
        # The length of an I/O divides what is kept, or the other way round.
        while [ "$count" -gt 0 ]; do
            start=$((offset % KEPT)) part=$((KEPT - offset % KEPT))
            [ "$part" -lt "$count" ] || part=$count
            get "$start" "$part"
            offset=$((offset + part)) count=$((count - part))
        done
        exit
        ;;
    read-error) if is_chosen; then fail EIO; fi ;;
    stale-read)
        # What was there before the last write, once.
        if [ "$count" -eq $page ] && mv "$SPOILT/$offset/before" "$SPOILT/$offset/given" 2>/dev/null; then
            cat "$SPOILT/$offset/given"
            exit
        fi
        ;;
    esac
    get "$offset" "$count"
    ;;
pwrite)
    case $FAULT in
    wrap)
        while [ "$count" -gt 0 ]; do
            start=$((offset % KEPT)) part=$((KEPT - offset % KEPT))
            [ "$part" -lt "$count" ] || part=$count
            head -c "$part" | put "$start"
            offset=$((offset + part)) count=$((count - part))
        done
        exit
        ;;
    drop)
        # Of a write across the end, what lies before it.
        if [ "$offset" -lt "$KEPT" ]; then head -c $((KEPT - offset)) | put "$offset"; fi
        nothing
        exit
        ;;
    lost-write) if is_chosen; then nothing && exit; fi ;;
    torn-write) if is_chosen; then head -c 4096 | put "$offset" && exit; fi ;;
    # To a place that is only read.
    misdirected-write) if is_chosen; then put $((offset + mib)) && exit; fi ;;
    bit-flip)
        if is_chosen; then
            put "$offset"
            byte=$(od -An -tu1 -j $((offset + 1000)) -N 1 "$IMAGE")
            # shellcheck disable=SC2059
            printf "\\$(printf %o $((byte ^ 4)))" | put $((offset + 1000))
            exit
        fi
        ;;
    foreign-data)
        if [ -e "$IMAGE.before" ] && is_chosen; then
            nothing
            get "$offset" "$count" "$IMAGE.before" | put "$offset"
            exit
        fi
        ;;
    reordered)
        put "$offset"
        if [ "$count" -ne $page ] || [ $((offset / page % 4)) -ne 3 ]; then
            get "$offset" "$count" | put "$offset" "$disk"
        fi
        exit
        ;;
    write-error) if is_chosen; then fail EIO; fi ;;
    no-space) if is_chosen; then fail ENOSPC; fi ;;
    stale-read) if is_chosen; then get "$offset" "$count" >"$SPOILT/$offset/new" && mv "$SPOILT/$offset/new" "$SPOILT/$offset/before"; fi ;;
    esac
    put "$offset"
    ;;
*) exit 2 ;;
esac
